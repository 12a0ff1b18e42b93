import { Worker } from 'node:worker_threads'
import { type CommitOutcome, StoreError } from '@countersign/core/ports'
import type { EncodedSet } from '@countersign/core/store-kit'
import { packInTurns, rowsInTurn } from './large-sets.ts'
import {
  type Asked,
  errorOf,
  type Job,
  packBatch,
  packWrites,
  type Told,
  unpackBatch,
  type WriterAnswer,
  type WriterSettings,
} from './thread-messages.ts'
import type { Writer } from './writer.ts'

interface Waiting {
  readonly resolve: (answer: WriterAnswer) => void
  readonly reject: (error: unknown) => void
}

/** Pauses before a thread that ended is started again; reset by each answer, and the writer fails for good behind the last. */
const pausesMs = [0, 50, 250]

/**
 * A writer on a thread of its own: statements and the wait for the disk leave the thread that serves and sends. It
 * holds the process only while something waits for it. Should it end by itself, what it was given and did not answer
 * rejects with `io`, for that may be written or not; what was not handed over yet waits for the next thread.
 * `onEnded` is told when it can't be started again, from when on everything rejects.
 */
export function startWriter(
  settings: WriterSettings,
  onEnded: (error: StoreError) => void = () => {},
  onRestart: (error: StoreError) => void = () => {},
): Writer {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = start()
  let batch: Asked[] = []
  let asked = 0
  let fault: StoreError | null = null
  let closing = false
  /** Ends without any answer between them. */
  let ends = 0
  let resumeAt = 0
  let gone: () => void = () => {}

  function start(): Worker {
    const made = new Worker(new URL('./writer-worker.js', import.meta.url), {
      workerData: settings,
    })
    let reason: string | null = null
    made.unref()
    made.on('error', (error: Error) => {
      reason = error.message
    })
    // Comes after all that the thread has told.
    made.on('exit', (code) => ended(reason ?? `exit code ${code}`))
    made.on('message', (bytes: Uint8Array) => {
      ends = 0
      for (const told of unpackBatch<Told>(bytes)) {
        const one = waiting.get(told.id)
        waiting.delete(told.id)
        if ('answer' in told) one?.resolve(told.answer)
        else one?.reject(errorOf(told))
      }
      if (waiting.size === 0) made.unref()
    })
    return made
  }

  function ended(reason: string): void {
    const error = new StoreError('io', `the thread that writes has ended: ${reason}`)
    const pause = closing ? undefined : pausesMs[ends++]
    const kept = new Set(pause === undefined ? [] : batch.map(({ id }) => id))
    for (const [id, { reject }] of waiting) {
      if (kept.has(id)) continue
      waiting.delete(id)
      reject(error)
    }
    if (pause === undefined) {
      fault = error
      batch = []
      if (!closing) onEnded(error)
      gone()
      return
    }
    // The next one is started with the next work.
    worker = null
    resumeAt = performance.now() + pause
    onRestart(error)
  }

  function post(): void {
    if (batch.length === 0) return
    const pause = resumeAt - performance.now()
    if (pause > 0) {
      setTimeout(post, pause)
      return
    }
    const bytes = packBatch(batch)
    batch = []
    worker ??= start()
    worker.ref()
    worker.postMessage(bytes, [bytes.buffer as ArrayBuffer])
  }

  async function askInParts(set: EncodedSet): Promise<WriterAnswer> {
    const parts = await packInTurns(set.writes, packWrites)
    if (closing) throw new StoreError('closed', 'the store is closed')
    return ask({ kind: 'commit', set: { ...set, writes: [] }, parts })
  }

  function ask(job: Job): Promise<WriterAnswer> {
    return new Promise((resolve, reject) => {
      if (fault) return reject(fault)
      const id = ++asked
      if (waiting.size === 0) worker?.ref()
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
    commit: async (set) => {
      // Asked for in this turn, so that a close that is asked for later comes later.
      const job = set.writes.length <= rowsInTurn ? ask({ kind: 'commit', set }) : askInParts(set)
      return (await job) as CommitOutcome
    },
    claim: async (query) => (await ask({ kind: 'claim', query })) as readonly unknown[][],
    probe: async () => (await ask({ kind: 'probe' })) as number,
    scrub: async () => {
      await ask({ kind: 'scrub' })
    },
    close: async () => {
      if (fault) return
      closing = true
      const left = new Promise<void>((resolve) => {
        gone = resolve
      })
      await ask({ kind: 'close' })
      worker?.ref()
      await left
    },
  }
}
