import { Worker } from 'node:worker_threads'

/** A thread that does not hold the process by itself; `ended` hears of each sign that it is gone, an error or its exit. */
export function startThread<Told>(
  file: URL,
  on: { told(message: Told): void; ended(error: Error): void },
  workerData?: unknown,
): Worker {
  const worker = new Worker(file, { workerData })
  worker.unref()
  worker.on('message', on.told)
  worker.on('error', on.ended)
  worker.on('exit', (code) => on.ended(new Error(`the thread ended with exit code ${code}`)))
  return worker
}
