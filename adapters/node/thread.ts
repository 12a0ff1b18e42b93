import { Worker } from 'node:worker_threads'

/** A thread that does not hold the process by itself; `ended` is told once, after all that the thread has told. */
export function startThread<Told>(
  file: URL,
  on: { told(message: Told): void; ended(error: Error): void },
  workerData?: unknown,
): Worker {
  const worker = new Worker(file, { workerData })
  let reason: Error | null = null
  worker.unref()
  worker.on('message', on.told)
  worker.on('error', (error: Error) => {
    reason = error
  })
  worker.on('exit', (code) =>
    on.ended(reason ?? new Error(`the thread ended with exit code ${code}`)),
  )
  return worker
}

/** When a thread that ended by itself may be started again. */
export interface Restarts {
  /** Ms until then; 0 when it may. */
  wait(): number
  ended(): void
  /** It has done some work: the next end is the first one again. */
  worked(): void
}

const firstPauseMs = 50
/** Short enough for what waits meanwhile to keep its deadline about. */
const longestPauseMs = 1_000

/** At once after the first end; each further one without any work between doubles the pause. */
export function createRestarts(monotonic: () => number = () => performance.now()): Restarts {
  let ends = 0
  let at = Number.NEGATIVE_INFINITY
  return {
    wait: () => Math.max(0, at - monotonic()),
    ended() {
      const pause = ends === 0 ? 0 : Math.min(firstPauseMs * 2 ** (ends - 1), longestPauseMs)
      ends++
      at = monotonic() + pause
    },
    worked() {
      ends = 0
    },
  }
}
