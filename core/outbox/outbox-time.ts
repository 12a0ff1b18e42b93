import type { Clock } from '../base/ports/clock.ts'

/** Beyond this a difference is a step of the wall clock, not drift; far less than a lease outlasts its deadline. */
const stepMs = 1_000

interface Step {
  /** Monotonic. */
  readonly seenAt: number
  ms: number
}

/** The time by which deliveries are due and leases end (core/docs/decisions.md 9). */
export function createOutboxTime(clock: Clock, leaseMs: number) {
  let ahead = clock.now() - Math.floor(clock.monotonic())
  /** Forward steps that are not taken yet, the oldest first. */
  let steps: Step[] = []

  /** A step back undoes the newest forward steps not yet taken; the rest is waited out. */
  function stepBack(ms: number): void {
    for (let left = ms; left > 0; ) {
      const newest = steps.at(-1)
      if (!newest) return
      const undone = Math.min(left, newest.ms)
      newest.ms -= undone
      left -= undone
      if (newest.ms === 0) steps.pop()
    }
  }

  /** Ms since the epoch; never goes back, and takes a forward step of the wall clock one lease later. */
  function now(): number {
    const monotonic = clock.monotonic()
    const steady = Math.floor(monotonic)
    const expected = steps.reduce((sum, step) => sum + step.ms, ahead + steady)
    const difference = clock.now() - expected
    if (difference < 0) stepBack(-difference)
    else if (difference > stepMs) steps.push({ seenAt: monotonic, ms: difference })
    else ahead += difference
    while (steps[0] && monotonic - steps[0].seenAt >= leaseMs) {
      ahead += steps[0].ms
      steps = steps.slice(1)
    }
    return ahead + steady
  }

  /** Leases are counted from it: the later of `now` and the wall clock. */
  const leaseBase = () => Math.max(now(), clock.now())
  return { now, leaseBase }
}

export type OutboxTime = ReturnType<typeof createOutboxTime>
