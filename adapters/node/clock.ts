import type { Clock } from '@countersign/core/ports'

/** Node fires a timer of more than 2^31 - 1 ms at once. */
const longestTimer = 2 ** 31 - 1

/** The system's clocks and timers. */
export function nodeClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, call) => {
      let timer: NodeJS.Timeout
      const wait = (left: number) => {
        timer =
          left > longestTimer
            ? setTimeout(() => wait(left - longestTimer), longestTimer)
            : setTimeout(call, Math.max(0, left))
      }
      wait(ms)
      return () => clearTimeout(timer)
    },
  }
}
