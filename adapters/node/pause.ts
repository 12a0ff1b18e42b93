import { setImmediate } from 'node:timers/promises'

/** Lets timers, connections and files of this thread have their turn. */
export async function nodePause(): Promise<void> {
  await setImmediate()
}
