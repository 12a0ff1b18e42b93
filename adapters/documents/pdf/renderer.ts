import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { DocumentRenderer, Printable } from '@countersign/core/evidence'
import type { CallerSignal } from '@countersign/core/ports'
import { piecesOf } from './in-pieces.ts'
import type { Answer } from './pdf-worker.ts'
import { withoutUnprinted } from './without-unprinted.ts'

/** Options of `createPdfRenderer`. */
export interface PdfRendererOptions {
  /**
   * The most memory of the thread's heap, MiB; a document that needs more fails alone. Default 256: long documents are
   * laid out in parts.
   */
  readonly heapMiB?: number
  /**
   * Callers that may wait for their turn; the next one is told null. Default 4: with the one that is printed they leave
   * turns to the other calls of a host, which answers eight at once.
   */
  readonly waiting?: number
}

interface Job {
  readonly make: () => Promise<Printable>
  /** Null: an archive's, which counts for nothing and is never dropped. */
  readonly caller: CallerSignal | null
  readonly done: (bytes: Uint8Array | null) => void
  readonly fail: (error: Error) => void
}

/**
 * Prints documents on a thread of its own, one after another, for setting a page takes milliseconds of CPU. The thread
 * starts with the first document; after a crash the next one starts it again.
 */
export function createPdfRenderer(options: PdfRendererOptions = {}): DocumentRenderer {
  const { heapMiB = 256, waiting: most = 4 } = options
  let waiting: Job[] = []
  let current: Job | null = null
  let thread: Worker | null = null
  let closed = false

  function start(): Worker {
    const worker = new Worker(new URL('./pdf-worker.js', import.meta.url), {
      // Setting makes short-lived objects by the million: a small young generation is as fast, and keeps 30 MiB less.
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 6 },
      name: 'pdf',
    })
    worker.on('message', (answer: Answer) =>
      finish((job) =>
        'bytes' in answer ? job.done(answer.bytes) : job.fail(new Error(answer.error)),
      ),
    )
    worker.on('error', (error) => lose(worker, asError(error)))
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

  /** Drops what nobody waits for any more. */
  function dropLeft(): void {
    const left = waiting.filter(({ caller }) => caller?.aborted)
    waiting = waiting.filter((job) => !left.includes(job))
    for (const { done } of left) done(null)
  }

  function next(): void {
    if (current || closed) return
    dropLeft()
    const job = waiting.shift()
    if (!job) return
    current = job
    void hand(job)
  }

  /** Makes the document and hands it to the thread; until it is printed no other is made. */
  async function hand(job: Job): Promise<void> {
    try {
      const printable = withoutUnprinted(await job.make())
      if (current !== job) return
      thread ??= start()
      thread.ref()
      for (const piece of piecesOf(printable)) {
        thread?.postMessage(piece)
        await turn()
        if (current !== job) return
      }
    } catch (error) {
      if (current === job) finish(({ fail }) => fail(asError(error)))
    }
  }

  function pdf(make: () => Promise<Printable>, caller: CallerSignal): Promise<Uint8Array | null>
  function pdf(printable: Printable): Promise<Uint8Array>
  function pdf(given: Printable | (() => Promise<Printable>), caller: CallerSignal | null = null) {
    if (closed) return Promise.reject(new Error('the PDF renderer is closed'))
    if (caller && callersWaiting() >= most) {
      dropLeft()
      if (callersWaiting() >= most) return Promise.resolve(null)
    }
    return new Promise<Uint8Array | null>((done, fail) => {
      const make = typeof given === 'function' ? given : async () => given
      waiting.push({ make, caller, done, fail })
      next()
    })
  }

  const callersWaiting = () => waiting.filter(({ caller }) => caller !== null).length

  return {
    pdf: pdf as DocumentRenderer['pdf'],
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

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
