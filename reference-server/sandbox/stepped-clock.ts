import type { Clock } from '@countersign/core/ports'

/** A clock that stands still but where it is moved. */
export interface SteppedClock extends Clock {
  /** Moves the time, and calls what waited for it. */
  advance(ms: number): void
}

interface Timer {
  readonly at: number
  readonly call: () => void
}

/** Starts at this moment, in ms since the epoch. */
export function steppedClock(start: number): SteppedClock {
  const timers = new Set<Timer>()
  let passed = 0
  return {
    now: () => start + passed,
    monotonic: () => passed,
    after: (ms, call) => {
      const timer = { at: passed + ms, call }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    advance: (ms) => {
      passed += ms
      const due = [...timers].filter(({ at }) => at <= passed).toSorted((a, b) => a.at - b.at)
      for (const timer of due) {
        timers.delete(timer)
        timer.call()
      }
    },
  }
}
