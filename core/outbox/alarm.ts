import type { Clock } from '../base/ports/clock.ts'

/** One timer for all wakes: it rings at the earliest moment that was asked for since it rang. */
export function createAlarm(clock: Clock, ring: () => void) {
  let at = Number.POSITIVE_INFINITY
  let cancel: (() => void) | null = null

  function stop(): void {
    cancel?.()
    cancel = null
    at = Number.POSITIVE_INFINITY
  }

  return {
    /** Ms from now. */
    within(ms: number): void {
      const wanted = clock.monotonic() + Math.max(0, ms)
      if (wanted >= at) return
      cancel?.()
      at = wanted
      cancel = clock.after(Math.max(0, ms), () => {
        cancel = null
        at = Number.POSITIVE_INFINITY
        ring()
      })
    },
    stop,
  }
}
