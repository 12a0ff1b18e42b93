import type { Clock } from '../base/ports/clock.ts'

/** A clock that moves when a test moves it. */
export interface ManualClock extends Clock {
  /** Moves wall and monotonic time, calls each timer at its moment in order, and lets promises settle after each. */
  advance(ms: number): Promise<void>
  /** Moves the wall clock alone, in either direction; no timer fires for it. */
  jump(ms: number): void
  /** Ms until the next timer, or null: for a loop that runs until nothing waits. */
  untilNext(): number | null
  /** Timers that still wait; a test may demand that none is left. */
  waiting(): number
}

interface Timer {
  readonly at: number
  readonly order: number
  readonly call: () => void
}

/** Longer than any chain of promises without real I/O between two timers. */
const settlingTurns = 256

async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < settlingTurns; turn++) await undefined
}

/**
 * A clock that moves only when a test moves it; `settle` is for tests whose promises wait for real I/O.
 *
 * @example
 * ```ts
 * import { createManualClock } from '@countersign/core/testing'
 *
 * const clock = createManualClock(Date.UTC(2026, 0, 1))
 * clock.after(60_000, () => console.log('a minute later'))
 * await clock.advance(60_000)
 * ```
 */
export function createManualClock(
  start: number,
  options: { readonly settle?: () => Promise<void> } = {},
): ManualClock {
  const settle = options.settle ?? settleMicrotasks
  const timers = new Set<Timer>()
  let wall = start
  let monotonic = 0
  let made = 0

  function next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers)
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer
    return first
  }

  function moveTo(moment: number): void {
    wall += Math.max(0, moment - monotonic)
    monotonic = Math.max(monotonic, moment)
  }

  return {
    now: () => wall,
    monotonic: () => monotonic,
    after(ms, call) {
      const timer = { at: monotonic + Math.max(0, ms), order: made++, call }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    async advance(ms) {
      const end = monotonic + ms
      await settle()
      for (let timer = next(); timer && timer.at <= end; timer = next()) {
        timers.delete(timer)
        moveTo(timer.at)
        timer.call()
        await settle()
      }
      moveTo(end)
    },
    jump(ms) {
      wall += ms
    },
    untilNext() {
      const timer = next()
      return timer ? Math.max(0, timer.at - monotonic) : null
    },
    waiting: () => timers.size,
  }
}
