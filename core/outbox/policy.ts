import type { PolicyName } from './records.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** When a failed delivery is tried again; times in ms. */
export interface RetryPolicy {
  /** From a failure to the next attempt; the first entry follows the first failure. */
  readonly waits: readonly number[]
  /** The share of a wait that chance may add to it. */
  readonly jitter: number
  /** A last attempt this long after the first one, when all waits are spent; null where they are all there is. */
  readonly lastAfter: number | null
  /** A receiver's Retry-After may make a wait this many times as long; 1 lets it change nothing. */
  readonly stretch: number
}

/** One schedule for each family (interface, Retry schedule). */
export const policies: Readonly<Record<PolicyName, RetryPolicy>> = {
  review: {
    waits: [
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
    ],
    jitter: 0.2,
    lastAfter: 72 * hour,
    stretch: 2,
  },
  legacy: {
    waits: [5 * second, 25 * second, 125 * second],
    jitter: 0,
    lastAfter: null,
    stretch: 1,
  },
  callback: {
    waits: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour],
    jitter: 0.2,
    lastAfter: null,
    stretch: 1,
  },
  once: { waits: [], jitter: 0, lastAfter: null, stretch: 1 },
}

/** The attempts of one round. */
export function attemptBudget(policy: RetryPolicy): number {
  return policy.waits.length + 1 + (policy.lastAfter === null ? 0 : 1)
}

/** The least time from the first attempt to the last one of the schedule, whatever is lost between them; ms. */
export function lastTryAfter({ waits, lastAfter }: RetryPolicy): number {
  return lastAfter ?? waits.reduce((sum, wait) => sum + wait, 0)
}

export interface Failure {
  /** Attempts so far in this round, this one included. */
  readonly attempts: number
  readonly firstAttemptAt: number
  readonly now: number
  /** Drawn from [0, 1). */
  readonly jitter: number
  /** Ms that the receiver asked to be left alone. */
  readonly retryAfter: number | null
}

/** When to try again after a failure, never before now; null gives up. A failure at or past the deadline was the last. */
export function nextAttemptAt(policy: RetryPolicy, failure: Failure): number | null {
  const { attempts, now } = failure
  const deadline = policy.lastAfter === null ? null : failure.firstAttemptAt + policy.lastAfter
  if (attempts >= attemptBudget(policy)) return null
  if (deadline !== null && now >= deadline) return null
  const wait = policy.waits[attempts - 1]
  if (wait === undefined) return deadline
  const drawn = Math.round(wait * (1 + policy.jitter * failure.jitter))
  const asked = Math.min(failure.retryAfter ?? 0, wait * policy.stretch)
  const at = now + Math.max(drawn, asked)
  return deadline === null ? at : Math.min(at, deadline)
}
