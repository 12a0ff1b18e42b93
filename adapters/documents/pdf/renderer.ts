import { Worker } from 'node:worker_threads'
import type { DocumentRenderer, Printable } from '@countersign/core/evidence'
import type { Answer } from './pdf-worker.ts'

/** Options of `createPdfRenderer`. */
export interface PdfRendererOptions {
  /** The most memory of the thread's heap, MiB; a document that needs more fails alone. Default 1024. */
  readonly heapMiB?: number
}

interface Job {
  readonly printable: Printable
  readonly done: (bytes: Uint8Array) => void
  readonly fail: (error: Error) => void
}

/**
 * Prints documents on a thread of its own, one after another, for setting a page takes milliseconds of CPU. The thread
 * starts with the first document; after a crash the next one starts it anew.
 */
export function createPdfRenderer({ heapMiB = 1_024 }: PdfRendererOptions = {}): DocumentRenderer {
  const waiting: Job[] = []
  let current: Job | null = null
  let thread: Worker | null = null
  let closed = false

  function start(): Worker {
    const worker = new Worker(new URL('./pdf-worker.js', import.meta.url), {
      // Setting makes short-lived objects by the million; a large young generation spares copying them.
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 64 },
      name: 'pdf',
    })
    worker.on('message', (answer: Answer) =>
      finish((job) =>
        'bytes' in answer ? job.done(answer.bytes) : job.fail(new Error(answer.error)),
      ),
    )
    worker.on('error', (error) =>
      lose(worker, error instanceof Error ? error : new Error(String(error))),
    )
    worker.on('exit', () => lose(worker, new Error('the thread that prints PDF ended')))
    // An idle printer keeps no process alive.
    worker.unref()
    return worker
  }

  function lose(worker: Worker, error: Error): void {
    if (thread === worker) thread = null
    else return
    finish((job) => job.fail(error))
  }

  function finish(settle: (job: Job) => void): void {
    const job = current
    current = null
    thread?.unref()
    if (job) settle(job)
    next()
  }

  function next(): void {
    if (current || closed) return
    current = waiting.shift() ?? null
    if (!current) return
    thread ??= start()
    thread.ref()
    thread.postMessage(current.printable)
  }

  return {
    pdf(printable) {
      if (closed) return Promise.reject(new Error('the PDF renderer is closed'))
      return new Promise((done, fail) => {
        waiting.push({ printable, done, fail })
        next()
      })
    },
    async close() {
      if (closed) return
      closed = true
      const left = [...(current ? [current] : []), ...waiting.splice(0)]
      current = null
      const worker = thread
      thread = null
      await worker?.terminate()
      for (const { fail } of left) fail(new Error('the PDF renderer is closed'))
    },
  }
}
