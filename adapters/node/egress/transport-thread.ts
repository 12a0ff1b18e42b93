import type { Worker } from 'node:worker_threads'
import type { Exchange, ExchangeResult, Observer } from '@countersign/core/ports'
import { createRestarts, startThread } from '../thread.ts'
import { createTransport, type NodeTransport, type TransportOptions } from './transport.ts'

/** Options of `transportThread`; clock and resolver stay on the thread. */
export interface TransportThreadOptions extends Omit<TransportOptions, 'clock' | 'resolve'> {
  /** Is told why the thread ended by itself, each time; it is started again. */
  readonly onEnded?: (error: Error) => void
  /** Hears `thread.restarted`, each time too. */
  readonly observer?: Observer
}

export type Asked = readonly [id: number, exchange: Exchange]
export type Told = readonly [id: number, result: ExchangeResult]

interface Waiting {
  readonly since: number
  readonly resolve: (result: ExchangeResult) => void
}

/**
 * `createTransport` on a worker thread, which encrypts, sends and reads answers. The worker keeps the process alive only
 * while an answer is awaited. If it ends, exchanges in flight settle with `aborted` and it is restarted; nothing is
 * sent from the calling thread, because what ended the worker would end the process.
 */
export function transportThread({
  onEnded,
  observer,
  ...options
}: TransportThreadOptions = {}): NodeTransport {
  // Validates the options at once.
  createTransport(options).close()
  const waiting = new Map<number, Waiting>()
  const restarts = createRestarts()
  let worker: Worker | null = null
  /** Whether the worker keeps the process alive now. */
  let held = false
  let batch: Asked[] = []
  let asked = 0
  let closed = false

  /** Settles exchanges in flight; those not yet handed over are kept unless `all`. */
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
    held = false
    if (closed) return
    restarts.ended()
    abort(`the thread that sends has ended: ${error.message}`, false)
    observer?.event('thread.restarted', { thread: 'sending', error: error.message })
    onEnded?.(error)
  }

  /** Starts the worker with the first exchange. */
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
          if (waiting.size > 0) return
          worker?.unref()
          held = false
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
    // Each call crosses into native code, and batches are many.
    if (!held) worker.ref()
    held = true
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
        // Exchanges of one event-loop turn form a batch.
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

/** Copies the view: structured clone would copy its whole buffer. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
