import type { Worker } from 'node:worker_threads'
import type { Observer } from '@countersign/core/ports'
import type { Ed25519Signer, Ed25519SignerAside, SigningThread } from '@countersign/core/signing'
import { nativePrimitives } from './crypto.ts'
import { createRestarts, startThread } from './thread.ts'

/** A signing thread that runs until it is closed. */
export interface NodeSigningThread extends SigningThread {
  /** Signs what is pending, and everything asked later, on the calling thread. */
  close(): Promise<void>
}

/** Messages to be signed, one after another in `bytes`; the answer has 64 bytes for each. */
export interface SigningBatch {
  readonly bytes: Uint8Array
  /** Where each message ends. */
  readonly ends: readonly number[]
  /** Key number of each message. */
  readonly keys: readonly number[]
  /** Seeds of keys that are new to the worker, by key number. */
  readonly seeds: readonly (readonly [key: number, seed: Uint8Array])[]
  /** Key numbers that are no longer used. */
  readonly forget: readonly number[]
}

interface Asked {
  readonly key: number
  readonly prefix: string
  readonly bytes: Uint8Array
  readonly local: Ed25519Signer
  readonly resolve: (signature: Uint8Array) => void
}

export const signatureLength = 64

/** Options of `signingThread`. */
export interface SigningThreadOptions {
  /** Is told why the thread ended by itself, each time; it is started again. */
  readonly onEnded?: (error: Error) => void
  /** Hears `thread.restarted`, each time too. */
  readonly observer?: Observer
}

/**
 * Signs Ed25519 on a worker thread (Node's pool shares its four threads with name look-ups). The worker keeps the
 * process alive only while a signature is awaited. If it ends, pending messages are signed on the calling thread and
 * the worker is restarted.
 */
export function signingThread({ onEnded, observer }: SigningThreadOptions = {}): NodeSigningThread {
  let worker: Worker | null = null
  const restarts = createRestarts()
  /** Seeds of the keys in use, for a restarted worker. */
  const seedOf = new Map<number, Uint8Array>()
  const batches: (readonly Asked[])[] = []
  let waiting: Asked[] = []
  let seeds: [number, Uint8Array][] = []
  let forget: number[] = []
  let keys = 0
  const unused = new FinalizationRegistry<number>((key) => {
    seedOf.delete(key)
    forget.push(key)
  })
  let closed = false

  function signHere(): void {
    for (const { prefix, bytes, local, resolve } of [...batches.splice(0).flat(), ...waiting])
      resolve(local(prefix, bytes))
    waiting = []
  }

  function endByItself(error: Error): void {
    worker = null
    if (closed) return
    restarts.ended()
    signHere()
    observer?.event('thread.restarted', { thread: 'signing', error: error.message })
    onEnded?.(error)
  }

  /** Whether a worker is available; the first message starts it. */
  function ready(): boolean {
    if (closed) return false
    if (worker) return true
    if (restarts.wait() > 0) return false
    worker = start()
    seeds = [...seedOf]
    forget = []
    return true
  }

  function start(): Worker {
    return startThread<Uint8Array>(new URL('./signing-worker.js', import.meta.url), {
      told(signatures) {
        restarts.worked()
        for (const [at, { resolve }] of (batches.shift() ?? []).entries())
          resolve(signatures.subarray(at * signatureLength, (at + 1) * signatureLength))
        // While it is closed, its end is waited for.
        if (batches.length === 0 && !closed) worker?.unref()
      },
      ended: endByItself,
    })
  }

  function post(): void {
    if (waiting.length === 0) return
    const batch = { ...joinedOf(waiting), seeds, forget }
    if (batches.length === 0) worker?.ref()
    batches.push(waiting)
    waiting = []
    seeds = []
    forget = []
    worker?.postMessage(batch, [batch.bytes.buffer as ArrayBuffer])
  }

  return {
    ed25519Signer(seed) {
      const key = ++keys
      const local = nativePrimitives.ed25519Signer(seed)
      const kept = new Uint8Array(seed)
      seedOf.set(key, kept)
      // A worker started later receives every key.
      if (worker) seeds.push([key, kept])
      const signer: Ed25519SignerAside = (prefix, bytes) =>
        new Promise((resolve) => {
          if (!ready()) return resolve(local(prefix, bytes))
          waiting.push({ key, prefix, bytes, local, resolve })
          // Messages of one event-loop turn form a batch.
          if (waiting.length === 1) setImmediate(post)
        })
      unused.register(signer, key)
      return signer
    },
    async close() {
      closed = true
      signHere()
      await worker?.terminate()
    },
  }
}

function joinedOf(asked: readonly Asked[]): Omit<SigningBatch, 'seeds' | 'forget'> {
  const total = asked.reduce((sum, { prefix, bytes }) => sum + prefix.length + bytes.length, 0)
  const joined = Buffer.allocUnsafeSlow(total)
  let at = 0
  const ends = asked.map(({ prefix, bytes }) => {
    at += joined.write(prefix, at, 'latin1')
    joined.set(bytes, at)
    at += bytes.length
    return at
  })
  return { bytes: joined, ends, keys: asked.map(({ key }) => key) }
}
