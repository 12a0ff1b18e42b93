import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one, put } from '../ledger/reads.ts'
import type { ChangeSet, Put, Versioned } from '../ports/store.ts'
import { sessionSubject } from '../privacy/pseudonym.ts'
import { callbackReads, erasedCase, holdsContent } from '../review/erase-case.ts'
import { reviewCases } from '../review/records.ts'
import {
  type SessionKey,
  type StoredPayload,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
  stepsAfter,
} from '../sessions/records.ts'
import type { WorkStep } from '../work/handler.ts'
import { blanked, blankPayloads } from './blank.ts'
import type { ErasureDeps } from './deps.ts'
import { laterContent } from './later-content.ts'
import { counted, type Progress, type SessionCursor } from './progress.ts'
import type { ErasureRequest } from './records.ts'
import { destroyKeys } from './waiting.ts'

const stepPiece = 100
/** Cases that one read brings: each may hold megabytes. */
export const casePiece = 4
/** A case's outcome is sent for a day at most. */
const callbackCheckMs = 10 * 60 * 1_000

/**
 * Which payloads an erasure takes: those under the key of the subject that it destroyed, or that of a session which is
 * theirs. `later`: what lies under a key that the subject got since.
 */
export function taken(
  request: ErasureRequest,
  payload: StoredPayload,
  receivedAt: number,
  { own, later }: { readonly own: boolean; readonly later: ReadonlySet<StoredPayload> },
): boolean {
  if (payload.length === 0) return false
  if (payload.subject === request.dataSubjectId) return !later.has(payload)
  if (receivedAt > (request.begunAt ?? 0)) return false
  if (payload.field === 'submission') return true
  return own && payload.subject === sessionSubject(payload.sealedFor).subjectId
}

/** A step without the content that is taken; null where nothing is. */
export function erasedStep(
  was: Versioned<StoredStep>,
  isTaken: (payload: StoredPayload) => boolean,
): { readonly put: Put; readonly payloads: readonly StoredPayload[] } | null {
  const payloads = was.row.payloads.filter(isTaken)
  if (payloads.length === 0) return null
  const left = was.row.payloads.map((each) => (isTaken(each) ? blanked(each) : each))
  const row: StoredStep = {
    ...was.row,
    payloads: left,
    payloadStatus: left.some(({ length }) => length > 0) ? 'readable' : 'erased',
  }
  return { put: put(steps, row, was), payloads }
}

/** A bounded piece of one of the subject's own sessions. */
export async function eraseSession(
  deps: ErasureDeps,
  unit: UnitOfWork,
  request: ErasureRequest,
  progress: Progress,
  cursor: SessionCursor,
): Promise<WorkStep> {
  const stages = { steps: eraseSteps, session: eraseRow, cases: eraseCases, parts: eraseParts }
  return stages[cursor.stage](deps, unit, request, progress, cursor)
}

type Stage = typeof eraseSession

const eraseSteps: Stage = async (deps, unit, request, progress, cursor) => {
  const owner = ownerOf(request, cursor)
  const [found] = await unit.read([stepsAfter(owner, cursor.after, stepPiece)])
  const rows = many(steps, found)
  const later = await laterContent(
    deps,
    unit,
    { ...owner, subjectId: request.dataSubjectId },
    rows.map(({ row }) => row),
  )
  const isTaken = (row: StoredStep) => (payload: StoredPayload) =>
    taken(request, payload, row.receivedAt, { own: true, later })
  const erased = rows.flatMap((was) => erasedStep(was, isTaken(was.row)) ?? [])
  const payloads = erased.flatMap((each) => each.payloads)
  const removes = await blankPayloads(deps.blobs, unit, owner, payloads)
  // Steps that came under another session's id were sealed as that session's own.
  const others = new Set(payloads.map(({ subject }) => subject))
  others.delete(request.dataSubjectId)
  const destroyed = await destroyKeys(
    unit,
    [...others].map((subjectId) => ({ ...owner, subjectId })),
  )
  const kept = rows.some(({ row }) =>
    row.payloads.some((each) => each.length > 0 && !isTaken(row)(each)),
  )
  const last = rows.at(-1)
  const done = !last || rows.length < stepPiece
  return {
    set: {
      puts: [...erased.map((each) => each.put), ...destroyed.puts],
      removes: [...removes, ...destroyed.removes],
    },
    next: unit.now,
    state: {
      ...progress,
      session: {
        ...cursor,
        kept: cursor.kept || kept,
        ...(done ? { stage: 'session', after: null } : { after: last.row.place }),
      },
      counts: counted(progress.counts, { payloads: payloads.length }),
    } satisfies Progress,
  }
}

const eraseRow: Stage = async (deps, unit, request, progress, cursor) => {
  const owner = ownerOf(request, cursor)
  const [found] = await unit.read([
    get(sessions, [owner.tenantId, owner.applicationId, owner.sessionId]),
  ])
  const was = one(sessions, found)
  const after: Progress = { ...progress, session: { ...cursor, stage: 'cases', skip: 0 } }
  if (!was) return { next: unit.now, state: { ...progress, session: null, place: cursor.place } }
  const subject = { ...owner, subjectId: request.dataSubjectId }
  const later = await laterContent(deps, unit, subject, [was.row])
  const piece = erasedSession(was, request, { own: true, kept: cursor.kept, later })
  const removes = await blankPayloads(deps.blobs, unit, owner, piece.payloads)
  return {
    set: { puts: piece.puts, removes },
    next: unit.now,
    state: {
      ...after,
      counts: counted(after.counts, { payloads: piece.payloads.length }),
    },
  }
}

/** A session's row without the content that is taken, and with what its steps have left. */
export function erasedSession(
  was: Versioned<StoredSession>,
  request: ErasureRequest,
  more: {
    readonly own: boolean
    readonly kept: boolean
    readonly later: ReadonlySet<StoredPayload>
  },
): { readonly puts: readonly Put[]; readonly payloads: readonly StoredPayload[] } {
  const { row } = was
  const isTaken = (payload: StoredPayload) => taken(request, payload, row.receivedAt, more)
  const payloads = row.payloads.filter(isTaken)
  const left = row.payloads.map((each) => (isTaken(each) ? blanked(each) : each))
  const whole = !more.kept && left.every(({ length }) => length === 0)
  const payloadStatus = row.payloadStatus === 'none' ? 'none' : whole ? 'erased' : 'partly_erased'
  if (payloads.length === 0 && payloadStatus === row.payloadStatus) return { puts: [], payloads }
  return { puts: [put(sessions, { ...row, payloads: left, payloadStatus }, was)], payloads }
}

const eraseCases: Stage = async (deps, unit, request, progress, cursor) => {
  const owner = ownerOf(request, cursor)
  const piece = await erasedCases(deps, unit, owner, cursor.skip, null)
  if (piece === 'under_way') return { next: unit.now + callbackCheckMs }
  return {
    set: { puts: piece.puts, removes: piece.removes },
    next: unit.now,
    state: {
      ...progress,
      session: piece.done
        ? { ...cursor, stage: 'parts' }
        : { ...cursor, skip: cursor.skip + casePiece },
      counts: counted(progress.counts, { cases: piece.count }),
    } satisfies Progress,
  }
}

/** A bounded piece of a session's cases. */
export interface CasePiece {
  readonly puts: readonly Put[]
  readonly removes: NonNullable<ChangeSet['removes']>
  readonly count: number
  readonly done: boolean
}

/**
 * Some of a session's cases without what callers wrote, those of these steps alone where they are given. An open case is
 * cancelled first, and the outcome of a closed one is waited for.
 */
export async function erasedCases(
  deps: ErasureDeps,
  unit: UnitOfWork,
  { tenantId, applicationId, sessionId }: SessionKey,
  skip: number,
  stepIds: ReadonlySet<string> | null,
): Promise<CasePiece | 'under_way'> {
  const [found] = await unit.read([
    list(reviewCases, {
      by: 'byCheckpoint',
      where: [
        ['tenantId', '=', tenantId],
        ['applicationId', '=', applicationId],
        ['sessionId', '=', sessionId],
      ],
      skip,
      take: casePiece,
    }),
  ])
  const all = many(reviewCases, found)
  const rows = all.filter(
    ({ row }) =>
      holdsContent(row) && (stepIds === null || (row.stepId !== null && stepIds.has(row.stepId))),
  )
  const open = rows.filter(({ row }) => row.state === 'open')
  for (const { row } of open) await deps.cancelCase(row.reviewCaseId, 'checkpoint_unavailable')
  if (open.length > 0 || rows.some(({ row }) => row.callback.state === 'pending'))
    return 'under_way'
  const changes = await Promise.all(
    rows.map(async (row) => erasedCase(row, await unit.read(callbackReads(row.row)))),
  )
  return {
    puts: changes.flatMap(({ puts }) => puts),
    removes: changes.flatMap(({ removes }) => removes),
    count: rows.length,
    done: all.length < casePiece,
  }
}

const eraseParts: Stage = async (deps, unit, request, progress, cursor) => {
  for (const part of deps.sessionParts) {
    const change = await part.erase(unit, ownerOf(request, cursor))
    if (!change) continue
    const more = part.counts === null ? {} : { [part.counts]: change.count }
    return {
      set: change.set,
      next: unit.now,
      state: { ...progress, counts: counted(progress.counts, more) },
    }
  }
  return { next: unit.now, state: { ...progress, session: null, place: cursor.place } }
}

function ownerOf(
  { tenantId }: ErasureRequest,
  { applicationId, sessionId }: Pick<SessionCursor, 'applicationId' | 'sessionId'>,
): SessionKey {
  return { tenantId, applicationId, sessionId }
}
