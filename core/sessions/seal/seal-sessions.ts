import type { Versioned } from '../../base/ports/store.ts'
import {
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
  stepsAfter,
} from '../../content/records.ts'
import { type BatchLeaf, batches, type Seal, seals } from '../../content/seal-records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many, put } from '../../kernel/ledger/reads.ts'
import { askedOf, queryOf } from '../../kernel/query.ts'
import { mergedParts } from '../../kernel/unit.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import type { IngestDeps } from '../deps.ts'
import { anchorAfter, anchorKind, sealKind, workItem } from '../work-kinds.ts'
import { newBatch } from './new-batch.ts'
import {
  headOfSession,
  leafWithPauses,
  type RecordedSteps,
  recordedHead,
  recordedSteps,
} from './record.ts'

/** Sessions of one batch at most, and about how many steps their records may have together. */
const most = { sessions: 500, steps: 20_000 } as const
/** Steps that one read brings; a pause lies between two. */
const piece = 250

/** Seals an application's completed sessions, many under one root. */
export function createSealing({ pause }: Pick<IngestDeps, 'pause'>): WorkHandler {
  return {
    kind: sealKind,
    run: async (item, unit) => {
      const { tenantId, applicationId } = item
      if (tenantId === null || applicationId === null) return { next: null }
      const where = [['applicationId', '=', applicationId] as const, ['sealDue', '>', 0] as const]
      const waiting = list(sessions, { by: 'bySealDue', where, take: most.sessions + 1 })
      const { due, anchoring } = await askedOf(unit, {
        due: queryOf([waiting], ([found]) => many(sessions, found)),
        anchoring: workItem(anchorKind, tenantId),
      })
      const taken = withinRoom(due)
      if (taken.length === 0) return { next: null }

      const batchId = unit.id('bat')
      const made: { readonly was: Versioned<StoredSession>; readonly seal: Seal }[] = []
      for (const [leafIndex, was] of taken.entries()) {
        const { tenantId, applicationId, sessionId, revision } = was.row
        const head = headOfSession(was.row)
        const recorded = await recordedStepsOf(unit, was.row, pause)
        const record = { ...recordedHead(was.row, revision, head), ...recorded }
        const leafHash = await leafWithPauses(record, pause)
        const owner = { tenantId, applicationId, sessionId, revision }
        const seal = { ...owner, batchId, leafIndex, leafHash, sealedAt: unit.now, head }
        made.push({ was, seal })
      }
      const leaves = made.map(
        ({ seal: { sessionId, revision, leafHash } }): BatchLeaf => ({
          sessionId,
          revision,
          leafHash,
          status: 'accepted',
          reviewCaseIds: [],
        }),
      )
      const batch = newBatch(unit, { tenantId, applicationId, batchId, origin: 'otlp', leaves })
      const puts = [
        put(batches, batch, null),
        ...made.flatMap(({ was, seal: { leafIndex }, seal }) => [
          put(seals, seal, null),
          put(sessions, { ...was.row, sealed: { batchId, leafIndex }, sealDue: null }, was),
        ]),
      ]
      const next = taken.length < due.length ? unit.now : null
      return { set: mergedParts([{ puts }, anchorAfter(tenantId, unit.now, anchoring)]), next }
    },
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
