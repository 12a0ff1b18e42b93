import { isMainThread, type Worker } from 'node:worker_threads'

// The first SIGUSR2 ends the writer, which is the first thread that a server starts; from the second on no thread lives.
if (isMainThread) {
  const started: Worker[] = []
  let signals = 0
  process.on('worker', (worker) => {
    started.push(worker)
    if (signals > 1) void worker.terminate()
  })
  process.on('SIGUSR2', () => {
    signals++
    for (const worker of signals > 1 ? started : started.slice(0, 1)) void worker.terminate()
  })
}
