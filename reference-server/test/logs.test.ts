import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collections, logs } from '@countersign/core'
import { createMemoryStore } from '@countersign/core/testing'
import { pino } from 'pino'
import { logObserver } from '../logs.ts'
import { createMetrics } from '../metrics.ts'

function levels(level: string, names: readonly string[]): readonly string[] {
  const lines: string[] = []
  const observer = logObserver(pino({ level }, { write: (line: string) => void lines.push(line) }))
  for (const name of names) observer.event(name, {})
  return lines.map((line) => JSON.parse(line).event)
}

const troubles = [
  'outbox.fault',
  'work.failed',
  'work.store_failed',
  'delivery.lease_lost',
  'delivery.stale_completion',
  'http.unexpected_error',
  'inbox.failed',
  'handler.failed',
  'receiver.store_failed',
]
const daily = ['delivery.attempted', 'delivery.settled', 'outbox.claimed', 'login', 'work.lost']

test('what went wrong is in the log at the level that a server runs at, the daily course is not', () => {
  assert.deepEqual(levels('info', [...daily, ...troubles]), troubles)
  assert.deepEqual(levels('debug', [...daily, ...troubles]), [...daily, ...troubles])
})

test('an attempt that egress refused is counted', async () => {
  const { observer, registry } = createMetrics()
  const attempted = { family: 'standard', outcome: 'failed', latencyMs: 1 }
  observer.event('delivery.attempted', { ...attempted, error: 'refused_address' })
  observer.event('delivery.attempted', { ...attempted, error: 'timeout' })
  const metrics = await registry.metrics()
  assert.match(metrics, /^countersign_ssrf_refusals_total 1$/m)
  registry.clear()
})

test('a store that can’t be read leaves its own figure unknown, and the others are told', async () => {
  const { observer, registry, watch } = createMetrics()
  const store = createMemoryStore({ collections, logs })
  watch({ ...store, nextDue: () => Promise.reject(new Error('disk I/O error')) }, Date.now)
  observer.event('outbox.fault', {})
  const metrics = await registry.metrics()
  assert.match(metrics, /^countersign_outbox_oldest_age_seconds nan$/im)
  assert.match(metrics, /^countersign_faults_total\{event="outbox.fault"\} 1$/m)
  registry.clear()
})
