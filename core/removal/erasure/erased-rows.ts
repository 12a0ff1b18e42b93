import type { Put, Versioned } from '../../base/ports/store.ts'
import { blanked, type StoredPayload } from '../../content/payload-records.ts'
import { type StoredSession, type StoredStep, sessions, steps } from '../../content/records.ts'
import { put } from '../../kernel/ledger/reads.ts'

/** A row without content that was taken, and that content. */
export interface ErasedRow {
  readonly puts: readonly Put[]
  readonly payloads: readonly StoredPayload[]
}

/** Selects what an erasure takes; `later` is content under a key that the subject got after it began. */
export interface TakenBy {
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** The session is the subject's. */
  readonly own: boolean
  readonly later: ReadonlySet<StoredPayload>
}

/**
 * Whether an erasure takes a payload of a step: one under the subject's key, and in the subject's own session any payload
 * of a step that names nobody, under any key.
 */
export function takesOfStep(
  { dataSubjectId, own, later }: TakenBy,
  step: StoredStep,
  payload: StoredPayload,
): boolean {
  if (payload.length === 0 || later.has(payload)) return false
  return payload.subject === dataSubjectId || (own && step.dataSubjectId === null)
}

/** A step without the content that is taken. */
export function erasedStep(was: Versioned<StoredStep>, by: TakenBy): ErasedRow {
  const isTaken = (payload: StoredPayload) => takesOfStep(by, was.row, payload)
  const payloads = was.row.payloads.filter(isTaken)
  if (payloads.length === 0) return { puts: [], payloads }
  const left = was.row.payloads.map((each) => (isTaken(each) ? blanked(each) : each))
  const row: StoredStep = {
    ...was.row,
    payloads: left,
    payloadStatus: left.some(({ length }) => length > 0) ? 'readable' : 'erased',
  }
  return { puts: [put(steps, row, was)], payloads }
}

/**
 * A session's row without the content that is taken; its status follows from the content that it and its steps keep. The
 * text of a submission goes with the first of its subjects that is erased, unless it came with later content of theirs.
 * Its subject's own may be another's from then on.
 */
export function erasedSession(
  was: Versioned<StoredSession>,
  by: TakenBy & {
    /** Content of its steps is left. */
    readonly kept: boolean
    /** Content of its steps is later. */
    readonly keptText: boolean
  },
): ErasedRow {
  const { erasing, ...freed } = was.row
  // Of somebody else's session another erasure may be at work.
  const row = by.own ? freed : was.row
  const isTaken = (payload: StoredPayload) => {
    if (payload.length === 0 || by.later.has(payload)) return false
    if (payload.field === 'submission') return !by.keptText
    return by.own || payload.subject === by.dataSubjectId
  }
  const payloads = row.payloads.filter(isTaken)
  const left = row.payloads.map((each) => (isTaken(each) ? blanked(each) : each))
  const whole = !by.kept && left.every(({ length }) => length === 0)
  const payloadStatus = row.payloadStatus === 'none' ? 'none' : whole ? 'erased' : 'partly_erased'
  const isSame = payloadStatus === row.payloadStatus && !(by.own && erasing)
  if (payloads.length === 0 && isSame) return { puts: [], payloads }
  return { puts: [put(sessions, { ...row, payloads: left, payloadStatus }, was)], payloads }
}
