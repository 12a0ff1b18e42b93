import { parentPort, workerData } from 'node:worker_threads'
import type { ExchangeResult } from '@countersign/core/ports'
import { createTransport } from './transport.ts'
import { type Asked, ownBytes, type Told } from './transport-thread.ts'

// The worker of `transportThread`: a transport, driven in batches.
const transport = createTransport(workerData)
let told: Told[] = []

function post(): void {
  const results = told
  told = []
  parentPort?.postMessage(results)
}

async function send([id, exchange]: Asked): Promise<void> {
  // An unhandled rejection would end the thread and every exchange on it.
  const result = await transport.post(exchange).catch(broken)
  // Answers of one event-loop turn form a batch.
  if (told.length === 0) setImmediate(post)
  told.push([id, result.kind === 'answer' ? { ...result, body: ownBytes(result.body) } : result])
}

function broken(error: unknown): ExchangeResult {
  const detail = `the exchange failed: ${error instanceof Error ? error.message : String(error)}`
  return { kind: 'error', error: 'aborted', detail, latencyMs: 0 }
}

parentPort?.on('message', (asked: readonly Asked[]) => {
  for (const one of asked) void send(one)
})
