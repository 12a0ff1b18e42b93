import { Worker } from 'node:worker_threads'
import type { Failure, Tally, Task } from './campaign.ts'

export interface Done {
  readonly task: Task
  readonly tally: Tally
  readonly failures: readonly Failure[]
}

/** Gives tasks to that many threads, one after another; `each` may answer false, and then no more are given. */
export async function inThreads(
  tasks: Iterable<Task>,
  threads: number,
  each: (done: Done) => boolean,
): Promise<void> {
  const queue = tasks[Symbol.iterator]()
  let open = true

  function serve(worker: Worker): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        const turn = open ? queue.next() : { done: true as const, value: undefined }
        if (turn.done) {
          worker.off('error', reject)
          void worker.terminate().then(() => resolve())
        } else worker.postMessage(turn.value)
      }
      worker.on('error', reject)
      worker.on('message', (done: Done) => {
        if (!each(done)) open = false
        next()
      })
      next()
    })
  }

  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./thread.js', import.meta.url)),
  )
  await Promise.all(workers.map(serve))
}
