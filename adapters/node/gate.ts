/** Tells whether someone still waits for an answer; an AbortSignal is one. */
interface Waiter {
  readonly aborted: boolean
}

/** Runs a task when its turn comes; null where its queue is full, or where nobody waits for it any more by then. */
export type Gate<Queue extends string> = <T>(
  queue: Queue,
  task: () => Promise<T>,
  waiter?: Waiter,
) => Promise<T | null>

interface Waiting {
  readonly isLeft: () => boolean
  /** False drops the task. */
  readonly start: (run: boolean) => void
}

/**
 * Runs at most `atOnce` tasks and lets at most `waiting` wait in each queue. Queues take turns, so that a full one
 * delays the others by one task at most; within a queue tasks run in order. Tasks that were left take neither a turn
 * nor a place.
 */
export function createGate<Queue extends string>(options: {
  readonly queues: readonly Queue[]
  readonly atOnce: number
  readonly waiting: number
}): Gate<Queue> {
  // Queues in the order in which they are served.
  const queues = options.queues.map((name) => ({ name, tasks: [] as Waiting[] }))
  let running = 0

  function dropLeft(queue: { tasks: Waiting[] }): void {
    const left = queue.tasks.filter(({ isLeft }) => isLeft())
    if (left.length === 0) return
    queue.tasks = queue.tasks.filter((task) => !left.includes(task))
    for (const { start } of left) start(false)
  }

  function next(): Waiting | undefined {
    for (const queue of queues) dropLeft(queue)
    const at = queues.findIndex(({ tasks }) => tasks.length > 0)
    if (at === -1) return undefined
    const [served] = queues.splice(at, 1)
    if (served) queues.push(served)
    return served?.tasks.shift()
  }

  /** Resolves when the task may start, with false when it is not to. */
  async function turn(name: Queue, waiter: Waiter | undefined): Promise<boolean> {
    if (running < options.atOnce) {
      running++
      return true
    }
    const queue = queues.find((each) => each.name === name)
    if (!queue) return false
    if (queue.tasks.length >= options.waiting) dropLeft(queue)
    if (queue.tasks.length >= options.waiting) return false
    const isLeft = () => waiter?.aborted === true
    return new Promise((start) => queue.tasks.push({ isLeft, start }))
  }

  return async (name, task, waiter) => {
    if (!(await turn(name, waiter))) return null
    try {
      return await task()
    } finally {
      // Hand the slot over without freeing it, so that no newcomer overtakes the queue.
      const waiting = next()
      if (waiting) waiting.start(true)
      else running--
    }
  }
}
