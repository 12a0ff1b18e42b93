import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one, put } from '../ledger/reads.ts'
import type { ChangeSet, Versioned } from '../ports/store.ts'
import { type ErasedSubject, erasedSubjects, subjectKeys } from '../privacy/records.ts'
import { type ReviewCase, reviewCases } from '../review/records.ts'
import { ofSession, type SessionKey } from '../sessions/records.ts'
import type { WorkStep } from '../work/handler.ts'
import type { ErasureDeps } from './deps.ts'
import { boardPut, holdOn, holdReads } from './hold-board.ts'
import { counted, type Progress } from './progress.ts'
import { type ErasureRequest, erasureRequests, removedSubjects } from './records.ts'
import { isRehoming } from './rehoming.ts'
import { removedOf } from './removed-subjects.ts'
import { isHeldWithOthers } from './shared-content.ts'
import { keysOfSubject, sessionsWith } from './subjects.ts'
import { type SessionShare, theirSteps } from './their-steps.ts'

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
/** How long open cases are waited for. */
export const openCasesMs: number = 25 * dayMs
/** A release of a hold wakes the request at once; this is for what nobody tells. */
const holdCheckMs = hourMs
const caseCheckMs = 10 * 60 * 1_000
const rehomingCheckMs = 1_000
/** Cases of a session that are read at once, or cancelled in one run. */
const casesAtOnce = 100

/** Holds block until they are released; open cases are waited for, then cancelled; then the keys are destroyed. */
export async function wait(
  deps: ErasureDeps,
  unit: UnitOfWork,
  was: Versioned<ErasureRequest>,
  progress: Progress,
): Promise<WorkStep> {
  const request = was.row
  const found = await unit.read(holdReads(request))
  const { held, board } = holdOn(found, request)
  if (held) return waitStep(was, 'blocked_by_hold', 'hold', unit.now + holdCheckMs)
  const sessions = await sessionsWith(unit, request)
  if (await isHeldWithOthers(unit, request, sessions))
    return waitStep(was, 'blocked_by_hold', 'hold', unit.now + holdCheckMs)
  if (await isRehoming(unit, sessions))
    return waitStep(was, 'scheduled', null, unit.now + rehomingCheckMs)
  const until = request.requestedAt + openCasesMs
  for (const session of sessions) {
    const open = await openCases(unit, { ...request, ...session })
    if (open.length === 0) continue
    if (unit.now < until)
      return waitStep(was, 'scheduled', 'open_case', Math.min(unit.now + caseCheckMs, until))
    for (const { row } of open)
      if (row.state === 'open') await deps.cancelCase(row.reviewCaseId, 'checkpoint_unavailable')
  }
  return begin(unit, was, progress, {
    board,
    applicationIds: sessions.map(({ applicationId }) => applicationId),
    sessions: sessions.length,
  })
}

function waitStep(
  was: Versioned<ErasureRequest>,
  status: ErasureRequest['status'],
  waitingFor: ErasureRequest['waitingFor'],
  next: number,
): WorkStep {
  if (was.row.status === status && was.row.waitingFor === waitingFor) return { next }
  return { set: { puts: [put(erasureRequests, { ...was.row, status, waitingFor }, was)] }, next }
}

/** Open cases of a subject's share of a session. */
async function openCases(
  unit: UnitOfWork,
  share: SessionShare,
): Promise<readonly Versioned<ReviewCase>[]> {
  const where = [...ofSession(share), ['state', '=', 'open'] as const]
  for (let skip = 0; ; skip += casesAtOnce) {
    const [found] = await unit.read([
      list(reviewCases, { by: 'byCheckpoint', where, skip, take: casesAtOnce }),
    ])
    const page = many(reviewCases, found)
    const theirs = await theirSteps(
      unit,
      share,
      page.map(({ row }) => row.stepId),
    )
    const open = page.filter(({ row }) => theirs.has(row.stepId))
    if (open.length > 0 || page.length < casesAtOnce) return open
  }
}

/** Whether a case is open, or its outcome still being sent. */
export function isUnderWay({ state, callback }: ReviewCase): boolean {
  return state === 'open' || callback.state === 'pending'
}

/** Whether any case of a session is under way. */
export async function hasCaseUnderWay(unit: UnitOfWork, session: SessionKey): Promise<boolean> {
  const where = ofSession(session)
  for (let skip = 0; ; skip += casesAtOnce) {
    const [found] = await unit.read([
      list(reviewCases, { by: 'byCheckpoint', where, skip, take: casesAtOnce }),
    ])
    const page = many(reviewCases, found)
    if (page.some(({ row }) => isUnderWay(row))) return true
    if (page.length < casesAtOnce) return false
  }
}

/** Destroys the subject's keys: from this commit on the erasure can't be stopped, and a hold is refused. */
async function begin(
  unit: UnitOfWork,
  was: Versioned<ErasureRequest>,
  progress: Progress,
  known: {
    readonly board: ReturnType<typeof holdOn>['board']
    readonly applicationIds: readonly string[]
    readonly sessions: number
  },
): Promise<WorkStep> {
  const [found] = await unit.read([keysOfSubject(was.row)])
  const keys = many(subjectKeys, found)
  const removed = await removedOf(unit, was.row)
  const applicationIds = [
    ...new Set([
      ...known.applicationIds,
      ...[...keys, ...removed].map(({ row }) => row.applicationId),
    ]),
  ].toSorted()
  const request: ErasureRequest = {
    ...was.row,
    status: 'scheduled',
    waitingFor: null,
    begunAt: unit.now,
    applicationIds,
  }
  const destroyed = await destroyKeys(
    unit,
    keys.map(({ row }) => row),
  )
  return {
    set: {
      puts: [
        put(erasureRequests, request, was),
        boardPut(request.tenantId, known.board),
        ...destroyed.puts,
      ],
      removes: [
        ...destroyed.removes,
        ...removed.map(({ row, version }) => ({
          in: removedSubjects.name,
          key: [row.tenantId, row.applicationId, row.dataSubjectId] as const,
          version,
        })),
      ],
    },
    next: unit.now,
    state: {
      ...progress,
      phase: 'scrub',
      counts: counted(progress.counts, {
        applications: applicationIds.length,
        sessions: known.sessions,
      }),
    } satisfies Progress,
  }
}

type SubjectOf = Pick<ErasedSubject, 'tenantId' | 'applicationId' | 'subjectId'>

/** Removes the keys of subjects, where they have one, and marks these as erased. */
export async function destroyKeys(
  unit: UnitOfWork,
  subjects: readonly SubjectOf[],
): Promise<Required<Pick<ChangeSet, 'puts' | 'removes'>>> {
  const keys = subjects.map((each) => [each.tenantId, each.applicationId, each.subjectId] as const)
  const found = await unit.read(
    keys.flatMap((key) => [get(subjectKeys, key), get(erasedSubjects, key)]),
  )
  const present = keys.flatMap((key, at) => {
    const row = one(subjectKeys, found[2 * at])
    return row ? { key, row, mark: one(erasedSubjects, found[2 * at + 1]) } : []
  })
  return {
    removes: present.map(({ key, row }) => ({ in: subjectKeys.name, key, version: row.version })),
    puts: present.map(({ row: { row }, mark }) => {
      const { tenantId, applicationId, subjectId } = row
      const erased = { tenantId, applicationId, subjectId, erasedAt: unit.now }
      return put(erasedSubjects, erased, mark)
    }),
  }
}
