import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collections, logs } from '@countersign/core'
import { observedEvents } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'
import { pino } from 'pino'
import { logObserver } from '../logs.ts'
import { createMetrics } from '../metrics.ts'
import { eventNames, sampleOf } from './event-samples.ts'

const levels = { error: 50, warn: 40, info: 30, debug: 20 }

/** What a log of this level holds once every event was observed. */
function logged(level: string): readonly { readonly event: string; readonly level: number }[] {
  const lines: string[] = []
  const observer = logObserver(pino({ level }, { write: (line: string) => void lines.push(line) }))
  for (const name of eventNames) observer.event(...sampleOf(name))
  return lines.map((line) => JSON.parse(line))
}

test('each event is in the log, at the level that it is declared with', () => {
  const found = logged('debug').map(({ event, level }) => ({ event, level }))
  const declared = eventNames.map((event) => ({
    event,
    level: levels[observedEvents[event].severity],
  }))
  assert.deepEqual(found, declared)
})

test('what went wrong is in the log at the level that a server runs at, the daily course is not', () => {
  const told = logged('info').map(({ event }) => event)
  for (const name of ['outbox.fault', 'work.failed', 'delivery.lease_lost', 'audit.head'])
    assert.ok(told.includes(name), name)
  for (const name of ['delivery.attempted', 'delivery.settled', 'outbox.claimed', 'login'])
    assert.ok(!told.includes(name), name)
})

test('an attempt that egress refused is counted', async () => {
  const { observer, registry } = createMetrics()
  const attempted = {
    family: 'standard',
    outcome: 'failed',
    status: null,
    attempt: 1,
    latencyMs: 1,
  } as const
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
  observer.event('outbox.fault', { operation: 'claim', error: 'disk I/O error' })
  const metrics = await registry.metrics()
  assert.match(metrics, /^countersign_outbox_oldest_age_seconds nan$/im)
  assert.match(metrics, /^countersign_faults_total\{event="outbox.fault"\} 1$/m)
  registry.clear()
})
