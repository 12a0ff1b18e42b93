import type { Clock } from '../ports/clock.ts'

/** The time by which deliveries are due and leases end (core/docs/decisions.md 6). */
export interface OutboxTime {
  /** Ms since the epoch; never goes back, and takes a forward step of the wall clock one lease later. */
  now(): number
  /** Leases are counted from it: the later of `now` and the wall clock. */
  leaseBase(): number
}

/** Beyond this a difference is a step of the wall clock, not drift; far less than a lease outlasts its deadline. */
const stepMs = 1_000

export function createOutboxTime(clock: Clock, leaseMs: number): OutboxTime {
  let base = clock.now()
  let mark = clock.monotonic()
  let steppedAt: number | null = null

  function now(): number {
    const monotonic = clock.monotonic()
    const wall = clock.now()
    const steady = base + Math.floor(monotonic - mark)
    if (wall <= steady) {
      steppedAt = null
      return steady
    }
    if (wall - steady > stepMs) {
      steppedAt ??= monotonic
      if (monotonic - steppedAt < leaseMs) return steady
    }
    steppedAt = null
    base = wall
    mark = monotonic
    return wall
  }

  return { now, leaseBase: () => Math.max(now(), clock.now()) }
}
