import { type Json, msOf, objectAt, objectsAt } from './read.ts'

/** Clocks of two processes may differ so much, ms. */
export const mostSkewMs = 60_000

/** Times that evidence states of what a leaf seals, ms; NaN where one is none. */
export interface SealTimes {
  /** When the last of it had happened; it is sealed soon after. */
  readonly endedAt: number
  /** The latest of all its times. */
  readonly latestAt: number
}

const latest = (times: readonly number[]) =>
  times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY)

/** Times of a session as its document tells them, which are those of its leaf. */
export function sessionTimes(document: Json): SealTimes {
  const session = objectAt(document, 'session') ?? {}
  const steps = objectsAt(document, 'steps') ?? []
  const isRecord = objectAt(document, 'integrity')?.leafSource === 'record'
  const results = isRecord ? (objectsAt(document, 'policyResults') ?? []) : []
  const ends = steps.map(({ endedAt }) => msOf(endedAt))
  const endedAt = msOf(session.endedAt)
  const all = [session, ...steps].flatMap((each) => [msOf(each.startedAt), msOf(each.endedAt)])
  return {
    // Evidence may state that a session went on without a step: what is known to have happened are its steps.
    endedAt: ends.length > 0 ? Math.min(endedAt, latest(ends)) : endedAt,
    latestAt: latest([...all, ...results.map(({ matchedAt }) => msOf(matchedAt))]),
  }
}

/** Times of a review case's record. */
export function caseTimes({ openedAt, closedAt }: Json): SealTimes {
  return { endedAt: msOf(closedAt), latestAt: Math.max(msOf(openedAt), msOf(closedAt)) }
}
