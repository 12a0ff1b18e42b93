import { isMainThread } from 'node:worker_threads'

// SIGUSR2 ends the thread that writes, which is the first that a server starts.
if (isMainThread)
  process.once('worker', (writer) => process.on('SIGUSR2', () => void writer.terminate()))
