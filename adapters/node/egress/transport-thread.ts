import type { Worker } from 'node:worker_threads'
import type { Exchange, ExchangeResult } from '@countersign/core/ports'
import { createRestarts, startThread } from '../thread.ts'
import { createTransport, type NodeTransport, type TransportOptions } from './transport.ts'

/** Options of `transportThread`; clock and resolver stay on the thread. */
export interface TransportThreadOptions extends Omit<TransportOptions, 'clock' | 'resolve'> {
  /** Is told why the thread ended by itself, each time; it is started again. */
  readonly onEnded?: (error: Error) => void
}

export type Asked = readonly [id: number, exchange: Exchange]
export type Told = readonly [id: number, result: ExchangeResult]

interface Waiting {
  readonly since: number
  readonly resolve: (result: ExchangeResult) => void
}

/**
 * `createTransport` on one thread of its own, which encrypts, sends and reads answers beside the thread that decides.
 * It holds the process only while an answer is awaited. Should it end by itself, what it had under way is `aborted`,
 * and it is started again for the rest: nothing is ever sent from here, for what ended it would end the process.
 */
export function transportThread({
  onEnded,
  ...options
}: TransportThreadOptions = {}): NodeTransport {
  // Tells at once what is wrong with the options.
  createTransport(options).close()
  const waiting = new Map<number, Waiting>()
  const restarts = createRestarts()
  let worker: Worker | null = null
  let batch: Asked[] = []
  let asked = 0
  let closed = false

  /** Settles what was asked; what was not handed to the thread yet is kept unless `all`. */
  function abort(detail: string, all: boolean): void {
    const kept = new Set(all ? [] : batch.map(([id]) => id))
    for (const [id, { since, resolve }] of waiting) {
      if (kept.has(id)) continue
      waiting.delete(id)
      resolve({ kind: 'error', error: 'aborted', detail, latencyMs: performance.now() - since })
    }
    if (all) batch = []
  }

  function endByItself(error: Error): void {
    worker = null
    if (closed) return
    restarts.ended()
    abort(`the thread that sends has ended: ${error.message}`, false)
    onEnded?.(error)
  }

  /** With the first exchange: whoever never sends has no thread, and no start waits for one. */
  function start(): Worker {
    return startThread<readonly Told[]>(
      new URL('./transport-worker.js', import.meta.url),
      {
        told(results) {
          restarts.worked()
          for (const [id, result] of results) {
            waiting.get(id)?.resolve(result)
            waiting.delete(id)
          }
          if (waiting.size === 0) worker?.unref()
        },
        ended: endByItself,
      },
      options,
    )
  }

  function post(): void {
    if (batch.length === 0) return
    const wait = restarts.wait()
    if (wait > 0) {
      setTimeout(post, wait)
      return
    }
    const exchanges = batch
    batch = []
    worker ??= start()
    worker.ref()
    worker.postMessage(exchanges)
  }

  return {
    post: (exchange) =>
      new Promise((resolve) => {
        const since = performance.now()
        if (closed) {
          const detail = 'the transport is closed'
          return resolve({ kind: 'error', error: 'aborted', detail, latencyMs: 0 })
        }
        const copied = { ...exchange, body: ownBytes(exchange.body) }
        const id = ++asked
        waiting.set(id, { since, resolve })
        // What one turn sends goes together.
        if (batch.length === 0) setImmediate(post)
        batch.push([id, copied])
      }),
    close() {
      closed = true
      abort('the transport was closed', true)
      void worker?.terminate()
    },
  }
}

/** Bytes are copied to another thread with all of the memory that they are a part of. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
