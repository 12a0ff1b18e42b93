import {
  type ErasureRequest,
  erasedSubjects,
  erasureRequests,
  type LegalHold,
  legalHolds,
  type StoredPayload,
  type StoredSession,
  type StoredStep,
  type SubjectKey,
  sessions,
  steps,
  subjectKeys,
} from '@countersign/core/internal'
import { type Committed, keyText, of, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { isPurging } from './purging.ts'

interface Place {
  readonly tenantId: string
  readonly applicationId: string
}

/** Whether a request or a hold, which may be for all applications, covers this one. */
function covers(
  { tenantId, applicationId }: Pick<LegalHold | ErasureRequest, 'tenantId' | 'applicationId'>,
  place: Place,
): boolean {
  return (
    tenantId === place.tenantId && (applicationId === null || applicationId === place.applicationId)
  )
}

/** Active holds on a subject in an application. */
export function holdsOn(truth: Truth, place: Place, subject: string | null): readonly LegalHold[] {
  return [...truth.rows(legalHolds).values()]
    .map(({ row }) => row)
    .filter((row) => row.active === 1 && row.dataSubjectId === subject && covers(row, place))
}

function sessionOf(truth: Truth, row: StoredStep | StoredSession): StoredSession | undefined {
  const { tenantId, applicationId, sessionId } = row
  return truth.rows(sessions).get(keyText([tenantId, applicationId, sessionId]))?.row
}

/** Which content the erasures that are under way may take. */
export function createErasureView(truth: Truth, { transitions }: Committed) {
  const moving = of(erasureRequests, transitions).flatMap(({ after }) => after?.row ?? [])
  const begun = [
    ...[...truth.rows(erasureRequests).values()].map(({ row }) => row),
    ...moving,
  ].filter(({ begunAt, underWay }) => begunAt !== null && underWay === 1)
  return {
    mayBlank(row: StoredStep | StoredSession, { subject, field }: StoredPayload): boolean {
      return begun.some(
        (request) =>
          covers(request, row) &&
          (subject === request.dataSubjectId ||
            subject.startsWith('session:') ||
            field === 'submission' ||
            // What a step of nobody holds is the session's, whoever it was of before.
            (row.dataSubjectId === null &&
              sessionOf(truth, row)?.dataSubjectId === request.dataSubjectId)),
      )
    },
  }
}

/** Keys that an erasure destroyed never come back, and what is under hold stays. */
export interface ErasureChecks {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
}

export function checkErasure(world: World): ErasureChecks {
  /** Salts of keys that an erasure destroyed. */
  const shredded = new Set<string>()
  /** Salts of the subject's keys when its erasure began, and the steps that had content of theirs. */
  const atBeginning = new Map<string, ReadonlySet<string>>()

  function checkKeys(truth: Truth, { transitions }: Committed): void {
    const marked = new Set(of(erasedSubjects, transitions).map(({ key }) => key))
    for (const { key, before, after } of of(subjectKeys, transitions)) {
      if (after && shredded.has(saltOf(after.row)))
        world.broken('erased stays erased', `the key of ${key} is back`)
      if (!before || after) continue
      if (marked.has(key)) shredded.add(saltOf(before.row))
      const { subjectId } = before.row
      if (holdsOn(truth, before.row, subjectId).length > 0)
        world.broken('held stays', `the key of ${key} is gone, and its subject is under hold`)
    }
  }

  /** Nothing of a held subject goes, neither to an erasure nor for its age. */
  function checkHeld(truth: Truth, { transitions }: Committed): void {
    for (const { key, before, after } of of(sessions, transitions)) {
      if (!before || before.row.removing || (after && !after.row.removing)) continue
      if (before.row.sealed && holdsOn(truth, before.row, before.row.dataSubjectId).length > 0)
        world.broken('held stays', `session ${key} is gone, and its subject is under hold`)
    }
    for (const { key, before, after } of of(steps, transitions)) {
      if (!before || holdsOn(truth, before.row, before.row.subject).length === 0) continue
      // A hold that comes when the session is gone already keeps none of its rows.
      if (sessionOf(truth, before.row)?.removing) continue
      if (!after) world.broken('held stays', `step ${key} is gone, and its subject is under hold`)
      else if (
        before.row.payloads.some(
          ({ subject, length }, at) =>
            subject === before.row.subject && length > 0 && after.row.payloads[at]?.length === 0,
        )
      )
        world.broken('held stays', `content of ${key} is erased, and its subject is under hold`)
    }
  }

  function checkRequests(truth: Truth, { transitions }: Committed): void {
    for (const { key, before, after } of of(erasureRequests, transitions)) {
      if (!after) {
        // A purge takes those of its application alone.
        if (before && !isPurging(truth, before.row))
          world.broken('acknowledged is kept', `erasure ${key} is gone`)
        continue
      }
      const { row } = after
      if (before && before.row.underWay === 0 && before.row.status !== row.status)
        world.broken('erased stays erased', `${key}: ${before.row.status} became ${row.status}`)
      if (before?.row.begunAt !== null && before && row.begunAt !== before.row.begunAt)
        world.broken('erased stays erased', `${key} begins twice`)
      if (row.begunAt !== null && before?.row.begunAt === null)
        atBeginning.set(row.erasureRequestId, ownedBy(truth, row))
      if (row.status === 'completed' && before?.row.status !== 'completed') checkDone(truth, row)
    }
  }

  /** At the end of an erasure nothing that was there at its beginning can be read. */
  function checkDone(truth: Truth, request: ErasureRequest): void {
    const { dataSubjectId, begunAt, erasureRequestId } = request
    const left = (what: string) =>
      world.broken('erased stays erased', `${erasureRequestId} is completed, and ${what}`)
    if (begunAt === null) left('never began')
    const there = atBeginning.get(erasureRequestId) ?? new Set()
    for (const [key, { row }] of truth.rows(subjectKeys))
      if (there.has(saltOf(row))) left(`the key of ${key} is there`)
    for (const [key, { row }] of truth.rows(steps))
      if (there.has(key))
        for (const { subject, field, length } of row.payloads)
          if (subject === dataSubjectId && length > 0) left(`${field} of ${key} is there`)
  }

  return {
    committing(truth, committed) {
      checkKeys(truth, committed)
      checkHeld(truth, committed)
      checkRequests(truth, committed)
    },
  }
}

function saltOf({ salt }: SubjectKey): string {
  return Buffer.from(salt).toString('hex')
}

function ownedBy(truth: Truth, request: ErasureRequest): ReadonlySet<string> {
  const keys = [...truth.rows(subjectKeys).values()].flatMap(({ row }) =>
    row.subjectId === request.dataSubjectId && covers(request, row) ? saltOf(row) : [],
  )
  const content = [...truth.rows(steps)].flatMap(([key, { row }]) =>
    covers(request, row) && row.payloads.some((one) => one.subject === request.dataSubjectId)
      ? key
      : [],
  )
  return new Set([...keys, ...content])
}
