import type { Clock } from '@countersign/core/ports'

export interface Signal {
  /** Ends the wait; without one, the next does not wait. */
  raise(): void
  /** Until raised, `ms` at most; one wait at a time. */
  wait(ms: number): Promise<void>
}

export function createSignal(clock: Clock): Signal {
  let raised = false
  let end: (() => void) | null = null
  return {
    raise() {
      if (end) end()
      else raised = true
    },
    async wait(ms) {
      if (!raised)
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve)
          end = () => {
            cancel()
            resolve()
          }
        })
      end = null
      raised = false
    },
  }
}
