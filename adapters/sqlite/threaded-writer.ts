import { Worker } from 'node:worker_threads'
import { type Outcome, StoreError } from '@countersign/core/ports'
import {
  type Answer,
  type Asked,
  errorOf,
  type Job,
  packBatch,
  type Told,
  unpackBatch,
  type WriterSettings,
} from './thread-messages.ts'
import type { Writer } from './writer.ts'

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * A writer on a thread of its own: statements and the wait for the disk leave the thread that serves and sends. It
 * holds the process only while something waits for it.
 */
export function startWriter(
  settings: WriterSettings,
  onEnded: (error: StoreError) => void = () => {},
): Writer {
  const worker = new Worker(new URL('./writer-thread.js', import.meta.url), {
    workerData: settings,
  })
  const waiting = new Map<number, Waiting>()
  let batch: Asked[] = []
  let asked = 0
  let fault: StoreError | null = null
  let closing = false
  let reason: string | null = null

  /** What it was given and did not answer may be written or not. */
  function fail(code: number): void {
    fault = new StoreError(
      'io',
      `the thread that writes has ended: ${reason ?? `exit code ${code}`}`,
    )
    for (const { reject } of waiting.values()) reject(fault)
    waiting.clear()
    if (!closing) onEnded(fault)
  }

  worker.unref()
  worker.on('error', (error) => {
    reason = error.message
  })
  // Comes after all that the thread has told.
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      fail(code)
      resolve()
    })
  })
  worker.on('message', (bytes: Uint8Array) => {
    for (const told of unpackBatch<Told>(bytes)) {
      const one = waiting.get(told.id)
      waiting.delete(told.id)
      if ('answer' in told) one?.resolve(told.answer)
      else one?.reject(errorOf(told))
    }
    if (waiting.size === 0) worker.unref()
  })

  function post(): void {
    const bytes = packBatch(batch)
    batch = []
    worker.postMessage(bytes, [bytes.buffer as ArrayBuffer])
  }

  function ask(job: Job): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (fault) return reject(fault)
      const id = ++asked
      if (waiting.size === 0) worker.ref()
      waiting.set(id, { resolve, reject })
      batch.push({ id, job })
      // What one turn asks for goes together.
      if (batch.length === 1) setImmediate(post)
    })
  }

  return {
    get fault() {
      return fault
    },
    commit: async (set) => (await ask({ kind: 'commit', set })) as Outcome,
    claim: async (query) => (await ask({ kind: 'claim', query })) as readonly unknown[][],
    probe: async () => (await ask({ kind: 'probe' })) as number,
    scrub: async () => {
      await ask({ kind: 'scrub' })
    },
    close: async () => {
      if (fault) return
      closing = true
      await ask({ kind: 'close' })
      worker.ref()
      await ended
    },
  }
}
