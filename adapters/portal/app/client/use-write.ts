import { type ReadonlySignal, useSignal } from '@preact/signals'
import { noteRefusal } from '../session.ts'
import { isOffline, NotSent } from './connection.ts'

/** Something that a member sets going: whether it runs, and how it failed. */
export interface Writing {
  readonly running: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<unknown>
  /** Runs it unless it runs; answers what it answered, undefined where it failed. */
  run<T>(write: () => Promise<T>): Promise<T | undefined>
  clear(): void
}

/** One write at a time: a second click while it runs does nothing. */
export function useWrite(): Writing {
  const running = useSignal(false)
  const error = useSignal<unknown>(null)
  return {
    running,
    error,
    run: async (write) => {
      if (running.peek()) return undefined
      if (isOffline.peek()) {
        error.value = new NotSent()
        return undefined
      }
      running.value = true
      error.value = null
      try {
        return await write()
      } catch (thrown) {
        noteRefusal(thrown)
        error.value = thrown
        return undefined
      } finally {
        running.value = false
      }
    },
    clear: () => {
      error.value = null
    },
  }
}
