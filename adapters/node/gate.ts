/** Runs a task when its turn comes; null where its queue is full. */
export type Gate<Queue extends string> = <T>(
  queue: Queue,
  task: () => Promise<T>,
) => Promise<T | null>

/**
 * Runs at most `atOnce` tasks and lets at most `waiting` wait in each queue. Queues take turns, so that a full one
 * delays the others by one task at most; within a queue tasks run in order.
 */
export function createGate<Queue extends string>(options: {
  readonly queues: readonly Queue[]
  readonly atOnce: number
  readonly waiting: number
}): Gate<Queue> {
  // Queues in the order in which they are served.
  const queues = options.queues.map((name) => ({ name, tasks: [] as (() => void)[] }))
  let running = 0

  function next(): (() => void) | undefined {
    const at = queues.findIndex(({ tasks }) => tasks.length > 0)
    if (at === -1) return undefined
    const [served] = queues.splice(at, 1)
    if (served) queues.push(served)
    return served?.tasks.shift()
  }

  return async (name, task) => {
    if (running >= options.atOnce) {
      const queue = queues.find((each) => each.name === name)
      if (!queue || queue.tasks.length >= options.waiting) return null
      await new Promise<void>((resolve) => queue.tasks.push(resolve))
    } else running++
    try {
      return await task()
    } finally {
      // Hand the slot over without freeing it, so that no newcomer overtakes the queue.
      const start = next()
      if (start) start()
      else running--
    }
  }
}
