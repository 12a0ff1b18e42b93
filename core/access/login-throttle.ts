/** Failures that go unpunished. */
export const freeFailures = 5
const longestDelayMs = 15 * 60_000
/** Without a failure for so long a key starts afresh. */
const forgottenAfterMs = 60 * 60_000

/** What is held of one e-mail or one address. */
export interface Failures {
  readonly count: number
  readonly lastAt: number
  /** Attempts whose password is being checked at this moment. */
  readonly running: number
}

const noFailures: Failures = { count: 0, lastAt: 0, running: 0 }

/** Ms after the n-th failure in a row in which no try is made: 0 up to the fourth, then 1 s, 2 s, 4 s … 15 minutes. */
export function delayAfter(count: number): number {
  if (count < freeFailures) return 0
  return Math.min(longestDelayMs, 1000 * 2 ** Math.min(count - freeFailures, 20))
}

/**
 * Ms until the next try may start, 0 for now. Running attempts count as failures until they end, so that a
 * hundred at once get no more tries than a hundred in a row.
 */
export function waitFor(failures: Failures, now: number): number {
  const wait = failures.lastAt + delayAfter(failures.count) - now
  if (failures.count > 0 && wait > 0) return wait
  const room = Math.max(1, freeFailures - failures.count)
  return failures.running < room ? 0 : 1000
}

export function started(failures: Failures): Failures {
  return { ...failures, running: failures.running + 1 }
}

export type LoginOutcome = 'failed' | 'succeeded' | 'undecided'

/** `forgives` is true for an e-mail: a success there wipes its failures; an address keeps its own, for it may try its own account in between. */
export function ended(
  failures: Failures,
  outcome: LoginOutcome,
  now: number,
  forgives: boolean,
): Failures {
  const running = Math.max(0, failures.running - 1)
  if (outcome === 'failed') return { count: failures.count + 1, lastAt: now, running }
  return outcome === 'succeeded' && forgives ? { ...noFailures, running } : { ...failures, running }
}

function isForgotten(failures: Failures, now: number): boolean {
  return failures.running === 0 && now - failures.lastAt >= forgottenAfterMs
}

export interface LoginThrottle {
  /** Whole seconds until a try may be made, or the try's end to be told. */
  begin(
    email: string,
    address: string,
    now: number,
  ):
    | { readonly kind: 'wait'; readonly retryAfter: number }
    | { readonly kind: 'try'; end(outcome: LoginOutcome, now: number): void }
}

/** Holds the failures of this process, of at most `capacity` e-mails and addresses; the longest quiet ones go first. */
export function createLoginThrottle(capacity = 50_000): LoginThrottle {
  // Insertion order is the order of the last failure: a changed entry is taken out and put back.
  const held = new Map<string, Failures>()

  function current(key: string, now: number): Failures {
    const failures = held.get(key) ?? noFailures
    return isForgotten(failures, now) ? noFailures : failures
  }

  function keep(key: string, failures: Failures): void {
    held.delete(key)
    if (failures.count === 0 && failures.running === 0) return
    held.set(key, failures)
    for (const [oldest, { running }] of held) {
      if (held.size <= capacity) return
      if (running === 0) held.delete(oldest)
    }
  }

  return {
    begin(email, address, now) {
      const keys = [`email ${email}`, `address ${address}`] as const
      const wait = Math.max(...keys.map((key) => waitFor(current(key, now), now)))
      if (wait > 0) return { kind: 'wait', retryAfter: Math.ceil(wait / 1000) }
      for (const key of keys) keep(key, started(current(key, now)))
      return {
        kind: 'try',
        end(outcome, at) {
          for (const [index, key] of keys.entries())
            keep(key, ended(held.get(key) ?? noFailures, outcome, at, index === 0))
        },
      }
    },
  }
}
