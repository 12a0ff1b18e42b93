import type { Put, Versioned } from '../../base/ports/store.ts'
import {
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
  stepsAfter,
} from '../../content/records.ts'
import {
  type BatchLeaf,
  batches,
  type CaseSeal,
  caseSeals,
  seals,
} from '../../content/seal-records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many, put } from '../../kernel/ledger/reads.ts'
import { queryOf } from '../../kernel/query.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import type { IngestDeps } from '../deps.ts'
import {
  anchorAfter,
  anchorKind,
  type SealState,
  sealDelayMs,
  sealKind,
  workItem,
} from '../work-kinds.ts'
import { auditLeafOf, isNewHead } from './audit-leaf.ts'
import { newBatch } from './new-batch.ts'
import {
  headOfSession,
  leafWithPauses,
  type RecordedSteps,
  recordedHead,
  recordedSteps,
} from './record.ts'

/** Sessions and cases of one batch at most, and about how many steps the sessions' records may have together. */
const most = { sessions: 500, cases: 500, steps: 20_000 } as const
/** Steps that one read brings; a pause lies between two. */
const piece = 250

/**
 * Seals an application's completed sessions and closed cases, many under one root. The last leaf of each batch is the
 * head of the tenant's audit log, the only one where nothing else waits and the log went on since.
 */
export function createSealing({ pause }: Pick<IngestDeps, 'pause'>): WorkHandler {
  return handler<SealState>({
    kind: sealKind,
    of: 'application',
    run: async (unit, { tenantId, applicationId, state }) => {
      const after = (next: number | null) => {
        return { state: null, next: state === 'followed' ? (next ?? unit.now + sealDelayMs) : next }
      }
      const where = [['applicationId', '=', applicationId] as const, ['sealDue', '>', 0] as const]
      const waiting = list(sessions, { by: 'bySealDue', where, take: most.sessions + 1 })
      const ended = list(caseSeals, { by: 'bySealDue', where, take: most.cases + 1 })
      const { due, cases, anchoring } = await unit.ask({
        due: queryOf([waiting], ([found]) => many(sessions, found)),
        cases: queryOf([ended], ([found]) => many(caseSeals, found)),
        anchoring: workItem(anchorKind, tenantId),
      })
      const taken = withinRoom(due)
      const takenCases = cases.slice(0, most.cases)
      const audited = await auditLeafOf(unit, tenantId)
      const isEmpty = taken.length + takenCases.length === 0
      if (isEmpty && !(await isNewHead(unit, tenantId, audited))) return after(null)

      const batchId = unit.id('bat')
      const made: Made[] = []
      for (const was of taken) made.push(await sealedSession(unit, was, pause))
      for (const was of takenCases) made.push(sealedCase(was))
      const leaves = [...made.map(({ leaf }) => leaf), audited]
      const batch = newBatch(unit, { tenantId, applicationId, batchId, origin: 'otlp', leaves })
      unit.put(batches, batch)
      for (const [leafIndex, each] of made.entries())
        unit.include({ puts: each.puts({ batchId, leafIndex }, unit.now) })
      unit.include(anchorAfter(tenantId, unit.now, anchoring))
      const isMore = taken.length < due.length || takenCases.length < cases.length
      return after(isMore ? unit.now : null)
    },
  })
}

/** A leaf, and what its place in a batch is written into. */
interface Made {
  readonly leaf: BatchLeaf
  readonly puts: (
    place: { readonly batchId: string; readonly leafIndex: number },
    now: number,
  ) => readonly Put[]
}

async function sealedSession(
  reader: Pick<UnitOfWork, 'read'>,
  was: Versioned<StoredSession>,
  pause: () => Promise<void>,
): Promise<Made> {
  const { tenantId, applicationId, sessionId, revision } = was.row
  const head = headOfSession(was.row)
  const recorded = await recordedStepsOf(reader, was.row, pause)
  const record = { ...recordedHead(was.row, revision, head), ...recorded }
  const leafHash = await leafWithPauses(record, pause)
  const owner = { tenantId, applicationId, sessionId, revision }
  return {
    leaf: { sessionId, revision, leafHash, status: 'accepted', reviewCaseIds: [] },
    puts: (place, now) => [
      put(seals, { ...owner, ...place, leafHash, sealedAt: now, head }, null),
      put(sessions, { ...was.row, sealed: place, sealDue: null }, was),
    ],
  }
}

function sealedCase(was: Versioned<CaseSeal>): Made {
  const { reviewCaseId, sessionId, leafHash } = was.row
  return {
    leaf: { leafType: 'review-case', reviewCaseId, sessionId, leafHash },
    puts: (place, now) => [
      put(caseSeals, { ...was.row, ...place, sealedAt: now, sealDue: null }, was),
    ],
  }
}

/** The first sessions that fit into one batch, at least one. */
function withinRoom(due: readonly Versioned<StoredSession>[]): readonly Versioned<StoredSession>[] {
  let room: number = most.steps
  return due.slice(0, most.sessions).filter(({ row }, at) => {
    room -= row.tally.steps
    return at === 0 || room >= 0
  })
}

/** The steps of a session's record, read in parts: their rows are never in memory all together. */
async function recordedStepsOf(
  reader: Pick<UnitOfWork, 'read'>,
  session: StoredSession,
  pause: () => Promise<void>,
): Promise<RecordedSteps> {
  const parts: RecordedSteps[] = []
  for (let after: string | null = null; ; await pause()) {
    const [found] = await reader.read([stepsAfter(session, after, piece)])
    const rows: readonly Versioned<StoredStep>[] = many(steps, found)
    parts.push(
      recordedSteps(
        rows.map(({ row }) => row),
        session.revision,
      ),
    )
    after = rows.at(-1)?.row.place ?? null
    if (rows.length < piece) break
  }
  return {
    steps: parts.flatMap(({ steps }) => steps),
    policyResults: parts.flatMap(({ policyResults }) => policyResults),
    scores: parts.flatMap(({ scores }) => scores),
  }
}
