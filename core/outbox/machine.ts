import type { Versioned } from '../base/ports/store.ts'
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

/** Claims before this one that are neither settled nor logged: their process ended, or could not write. */
function lostBefore({ attempts, logged }: Delivery): number {
  return Math.max(0, attempts - 1 - logged)
}

/** Interrupted attempts of the round, those that this claim finds included. */
function interruptedBy(claimed: Delivery): number {
  return claimed.interrupted + lostBefore(claimed)
}

/**
 * Numbers of the attempts that were claimed before this claim and never settled. `after` is the delivery as this claim
 * leaves it: what it will number again is left out.
 */
export function interruptedBefore(claimed: Delivery, after: Delivery): readonly number[] {
  const { attempts, logged } = claimed
  const last = Math.min(attempts - 1, after.logged)
  const first = attempts - lostBefore(claimed)
  return Array.from({ length: Math.max(0, last - logged) }, (_, at) => first + at)
}

/** Interrupted attempts of a round that are followed by another immediately. */
export const interruptionsAtOnce = 20
/** The wait after each further one, in ms. */
export const interruptionWaitMs: number = 60 * 60 * 1_000

/**
 * An interrupted attempt says nothing of the endpoint, so that it takes no step of the schedule. Interruptions have a
 * budget over time instead, for a delivery may be what ends the process: each but a round's first is recorded before
 * the next POST, and those beyond the budget wait, until the schedule has passed its last try. What has one attempt is
 * sent at most once: the claim was recorded before the POST, so that a lost one may have been sent.
 */
export function begin(claimed: Delivery, now: number): Begun {
  const policy = policies[claimed.policy]
  const lost = lostBefore(claimed)
  const interrupted = interruptedBy(claimed)
  if (lost > 0 && attemptBudget(policy) === 1) return { send: false, after: giveUp(claimed, now) }
  if (lost === 0 || interrupted === 1) return { send: true }
  const firstAttemptAt = claimed.firstAttemptAt ?? now
  const last = firstAttemptAt + lastTryAfter(policy)
  const isSpent = interrupted > interruptionsAtOnce
  if (isSpent && now >= last) return { send: false, after: giveUp(claimed, now) }
  const due = isSpent ? Math.min(last, now + interruptionWaitMs) : now
  const after = {
    ...settledUnsent(claimed),
    status: 'retry_scheduled',
    due,
    firstAttemptAt,
  } as const
  return { send: false, after }
}

/** Takes a claim back, and counts the interrupted ones before it as logged. */
function settledUnsent(claimed: Delivery): Delivery {
  const given = unclaimed(claimed)
  return { ...given, logged: given.attempts, interrupted: interruptedBy(claimed) }
}

/**
 * Times in ms: `startedAt` and `now` of the outbox, `postedAt` and `deliveredAt` of the wall clock; `jitter` drawn from
 * [0, 1). `responseStatus` and `error` are what readers of the delivery see of the attempt.
 */
export interface Moment {
  readonly startedAt: number
  readonly postedAt: number
  readonly now: number
  readonly deliveredAt: number
  readonly jitter: number
  readonly responseStatus: number | null
  readonly error: string | null
}

/** The delivery after an attempt. */
export function settle(delivering: Delivery, verdict: AnswerVerdict, moment: Moment): Delivery {
  const firstAttemptAt = delivering.firstAttemptAt ?? moment.startedAt
  const { attempts } = delivering
  const interrupted = interruptedBy(delivering)
  const tried = {
    ...delivering,
    firstAttemptAt,
    logged: attempts,
    interrupted,
    lastAttemptAt: moment.postedAt,
    lastResponseStatus: moment.responseStatus,
    lastError: moment.error,
  }
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
    attempts: attempts - interrupted - delivering.broughtForward,
    firstAttemptAt,
    now: moment.now,
    jitter: moment.jitter,
    retryAfter: verdict.retryAfter,
  })
  return due === null ? dead : { ...tried, status: 'retry_scheduled', due }
}

/** The round ends without another POST: the endpoint no longer wants it, or its budget is spent. */
export function giveUp(claimed: Delivery, now: number): Delivery {
  return { ...settledUnsent(claimed), status: 'dead_lettered', due: null, endedAt: now }
}

/** Undoes a claim: claimable again from `due` on. */
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
  return { ...settledUnsent(claimed), due: Math.min(last, now + pausedMs) }
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
    interrupted: 0,
    broughtForward: 0,
    firstAttemptAt: null,
    deliveredAt: null,
    endedAt: null,
    trigger: 'replay',
  }
}

/**
 * A retry that waits for its time made due now, as an attempt that takes no step of the schedule: however often somebody
 * asks, the round lasts as long as it would. Null where none waits, and where the wait protects the process from a
 * delivery that may be what ends it.
 */
export function bringForward(found: Versioned<Delivery>, view: StatusView): Delivery | null {
  const { row } = found
  if (statusOf(found, view) !== 'retry_scheduled' || row.due === null || row.due <= view.now)
    return null
  if (row.interrupted > interruptionsAtOnce) return null
  return { ...row, due: view.now, broughtForward: row.broughtForward + 1 }
}

/** When the last attempt of a round that runs is due, whatever it waits for; null before the first and where the schedule names no such time. */
export function lastAttemptBy({ policy, firstAttemptAt }: Delivery): number | null {
  const { lastAfter } = policies[policy]
  return firstAttemptAt === null || lastAfter === null ? null : firstAttemptAt + lastAfter
}

/**
 * When the attempts to come are due if each fails as soon as it is made, jitter and Retry-After aside; none once the round
 * has ended. The first is the delivery's own due time, unless an attempt is under way.
 */
export function attemptsToCome(found: Versioned<Delivery>, view: StatusView): readonly number[] {
  const { row } = found
  const status = statusOf(found, view)
  if (status === 'delivered' || status === 'dead_lettered' || row.due === null) return []
  const policy = policies[row.policy]
  const spent = row.logged - row.interrupted - row.broughtForward
  const first = row.firstAttemptAt ?? Math.max(view.now, status === 'delivering' ? 0 : row.due)
  const after = (attempts: number, now: number) =>
    nextAttemptAt(policy, { attempts, firstAttemptAt: first, now, jitter: 0, retryAfter: null })
  const times: number[] = []
  let made = status === 'delivering' ? spent + 1 : spent
  let at = status === 'delivering' ? after(made, view.now) : row.due
  while (at !== null) {
    times.push(at)
    at = after(++made, Math.max(at, view.now))
  }
  return times
}
