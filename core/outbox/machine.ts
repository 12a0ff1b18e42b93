import type { Versioned } from '../ports/store.ts'
import type { AnswerVerdict } from './answer.ts'
import { attemptBudget, lastTryAfter, nextAttemptAt, policies } from './policy.ts'
import type { Delivery } from './records.ts'
import { type StatusView, statusOf } from './status.ts'

// pending ─► delivering ─► delivered | retry_scheduled | dead_lettered; retry_scheduled ─► delivering.
// A lease is what makes a delivery `delivering`; when it ends unsettled the row is simply due again, and the
// next claim raises the version, which is the token that a late settle would need.

/** A delivery with its claim taken back: nothing was sent under it. */
function unclaimed(delivery: Delivery): Delivery {
  const attempts = Math.max(0, delivery.attempts - 1)
  return {
    ...delivery,
    attempts,
    firstAttemptAt: attempts === 0 ? null : delivery.firstAttemptAt,
  }
}

/** What to do with a delivery just claimed: send it, or settle it so without a POST. */
export type Begun = { readonly send: true } | { readonly send: false; readonly after: Delivery }

/**
 * Numbers of the attempts that were claimed before this claim and never settled: their process crashed or could not
 * write. `after` is the delivery as this claim leaves it: what it will number again is left out.
 */
export function interruptedBefore(
  { attempts, logged }: Delivery,
  after: Delivery,
): readonly number[] {
  // A row of a version that did not count what it logged.
  if (logged === null || logged === undefined) return []
  const last = Math.min(attempts - 1, after.logged ?? attempts)
  return Array.from({ length: Math.max(0, last - logged) }, (_, at) => logged + 1 + at)
}

/**
 * Claims whose answers were lost spend the retry budget too, so that a round has no more POSTs than promised. The last
 * attempt waits for its scheduled time even so: giving up is never earlier than the schedule.
 */
export function begin(claimed: Delivery, now: number): Begun {
  const policy = policies[claimed.policy]
  const budget = attemptBudget(policy)
  const firstAttemptAt = claimed.firstAttemptAt ?? now
  const last = firstAttemptAt + lastTryAfter(policy)
  if (now < last && claimed.attempts >= budget) {
    const attempts = budget - 1
    const after = {
      ...claimed,
      status: 'retry_scheduled',
      due: last,
      attempts,
      logged: attempts,
      firstAttemptAt,
    } as const
    return { send: false, after }
  }
  if (claimed.attempts <= budget) return { send: true }
  // Claims beyond the budget sent nothing: their settlement was lost.
  return { send: false, after: giveUp({ ...claimed, attempts: budget + 1 }, now) }
}

/** Times in ms: `startedAt` and `now` of the outbox, `deliveredAt` of the wall clock; `jitter` drawn from [0, 1). */
export interface Moment {
  readonly startedAt: number
  readonly now: number
  readonly deliveredAt: number
  readonly jitter: number
}

/** The delivery after an attempt. */
export function settle(delivering: Delivery, verdict: AnswerVerdict, moment: Moment): Delivery {
  const firstAttemptAt = delivering.firstAttemptAt ?? moment.startedAt
  const tried = { ...delivering, firstAttemptAt, logged: delivering.attempts }
  if (verdict.kind === 'delivered')
    return {
      ...tried,
      status: 'delivered',
      due: null,
      deliveredAt: moment.deliveredAt,
      endedAt: moment.now,
    }
  const dead = { ...tried, status: 'dead_lettered', due: null, endedAt: moment.now } as const
  if (verdict.kind === 'gone') return dead
  const due = nextAttemptAt(policies[delivering.policy], {
    attempts: delivering.attempts,
    firstAttemptAt,
    now: moment.now,
    jitter: moment.jitter,
    retryAfter: verdict.retryAfter,
  })
  return due === null ? dead : { ...tried, status: 'retry_scheduled', due }
}

/** The round ends without another POST: the endpoint no longer wants it, or its budget is spent. */
export function giveUp(claimed: Delivery, now: number): Delivery {
  const given = unclaimed(claimed)
  return { ...given, status: 'dead_lettered', due: null, endedAt: now, logged: given.attempts }
}

/** Undoes a claim: claimable again at once, or at `due`. */
export function giveBack(claimed: Delivery, due: number): Delivery {
  return { ...unclaimed(claimed), due }
}

/** How often a paused endpoint is looked at again, in ms. */
const pausedMs = 60_000

/** A delivery to a paused endpoint waits unsent until its last scheduled attempt, then is given up. */
export function pause(claimed: Delivery, now: number): Delivery {
  const last =
    (claimed.firstAttemptAt ?? claimed.createdAt) + lastTryAfter(policies[claimed.policy])
  if (now >= last) return giveUp(claimed, now)
  const given = unclaimed(claimed)
  return { ...given, logged: given.attempts, due: Math.min(last, now + pausedMs) }
}

/** The next round: the same message under the same ids, with the whole budget. Null while the round still runs. */
export function replay(
  found: Versioned<Delivery>,
  view: StatusView & { readonly generation: number },
): Delivery | null {
  const status = statusOf(found, view)
  if (status !== 'delivered' && status !== 'dead_lettered') return null
  return {
    ...found.row,
    round: found.row.round + 1,
    generation: view.generation,
    status: 'pending',
    due: view.now,
    attempts: 0,
    logged: 0,
    firstAttemptAt: null,
    deliveredAt: null,
    endedAt: null,
    trigger: 'replay',
  }
}
