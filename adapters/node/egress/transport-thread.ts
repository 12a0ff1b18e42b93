import type { Worker } from 'node:worker_threads'
import type { Exchange, ExchangeResult } from '@countersign/core/ports'
import { startThread } from '../thread.ts'
import { createTransport, type NodeTransport, type TransportOptions } from './transport.ts'

export interface TransportThreadOptions extends Omit<TransportOptions, 'clock' | 'resolve'> {
  /** Is told why the thread ended by itself; deliveries go on, slower. */
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
 * It holds the process only while an answer is awaited; should it ever end, what is under way is `aborted`, and
 * everything after that is sent from here.
 */
export function transportThread({
  onEnded,
  ...options
}: TransportThreadOptions = {}): NodeTransport {
  // Takes over should the thread end; made at once, for it tells what is wrong with the options.
  const here = createTransport(options)
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let batch: Asked[] = []
  let asked = 0
  let ended = false

  function abortAll(detail: string): void {
    for (const { since, resolve } of waiting.values())
      resolve({ kind: 'error', error: 'aborted', detail, latencyMs: performance.now() - since })
    waiting.clear()
    batch = []
  }

  function endByItself(error: Error): void {
    if (ended) return
    ended = true
    abortAll(`the thread that sends has ended: ${error.message}`)
    onEnded?.(error)
  }

  /** With the first exchange: whoever never sends has no thread, and no start waits for one. */
  function start(): Worker {
    return startThread<readonly Told[]>(
      new URL('./transport-worker.js', import.meta.url),
      {
        told(results) {
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
    const exchanges = batch
    batch = []
    worker?.postMessage(exchanges)
  }

  return {
    post(exchange) {
      if (ended) return here.post(exchange)
      return new Promise((resolve) => {
        const copied = { ...exchange, body: ownBytes(exchange.body) }
        worker ??= start()
        if (waiting.size === 0) worker.ref()
        const id = ++asked
        waiting.set(id, { since: performance.now(), resolve })
        // What one turn sends goes together.
        if (batch.length === 0) setImmediate(post)
        batch.push([id, copied])
      })
    },
    close() {
      ended = true
      here.close()
      abortAll('the transport was closed')
      void worker?.terminate()
    },
  }
}

/** Bytes are copied to another thread with all of the memory that they are a part of. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
