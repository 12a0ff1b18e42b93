export type Gate = <T>(task: () => Promise<T>) => Promise<T | null>

/** Runs at most `atOnce` tasks and lets at most `waiting` wait, in order; null for whoever comes beyond those. */
export function createGate(limits: { readonly atOnce: number; readonly waiting: number }): Gate {
  const queue: (() => void)[] = []
  let running = 0

  return async (task) => {
    if (running >= limits.atOnce) {
      if (queue.length >= limits.waiting) return null
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await task()
    } finally {
      // The place passes to the next without becoming free, so that nobody comes in between.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
