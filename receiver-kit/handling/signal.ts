import type { Clock } from '@countersign/core/ports'

export interface Signal {
  /** Ends the current wait, or the next one at once. */
  raise(): void
  /** Resolves when raised, after `ms` at the latest; one wait at a time. */
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
