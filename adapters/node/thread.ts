import { Worker } from 'node:worker_threads'

/** Starts a worker that does not keep the process alive by itself; `ended` is called once, after its last message. */
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

/** Restart backoff of a worker. */
export interface Restarts {
  /** Ms until the next start; 0 when it may start now. */
  wait(): number
  ended(): void
  /** Resets the backoff after the worker has done some work. */
  worked(): void
}

const firstPauseMs = 50
/** Longest pause; pending work still meets its deadline, or nearly. */
const longestPauseMs = 1_000

/** No pause after the first end; each further end without work in between doubles it. */
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
