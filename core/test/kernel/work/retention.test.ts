import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attempts,
  createRetention,
  createRunner,
  retentionEveryMs,
  workItems,
} from '@countersign/core/internal'
import { createLedger, get, one, put, receipts } from '@countersign/core/ledger'
import { type Collection, silentObserver } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryStore,
  type StoreFaults,
  seededRandom,
} from '@countersign/core/testing'
import { checkRetention } from '../../../kernel/work/retention.ts'
import type { AttemptRecord } from '../../../outbox/records.ts'
import { owingOn } from '../../owing.ts'

const day = 24 * 60 * 60 * 1_000
const start = Date.UTC(2026, 0, 20)
const kept = [workItems, attempts] as unknown as readonly Collection[]

function record(endpointId: string, at: number, startedAt: number): AttemptRecord {
  return {
    endpointId,
    attemptId: `att_${String(at).padStart(6, '0')}`,
    tenantId: `ten_${endpointId}`,
    applicationId: null,
    deliveryId: 'dlv_1',
    messageId: 'evt_1',
    type: 'review.case.created',
    family: 'standard',
    attempt: 1,
    trigger: 'event',
    startedAt,
    latencyMs: 1,
    outcome: 'delivered',
    error: null,
    requestHeaders: {},
    responseStatus: 200,
    responseHeaders: {},
    responseBody: null,
    truncated: false,
  }
}

async function bench(rows: readonly AttemptRecord[], faults: StoreFaults = () => {}) {
  const store = createMemoryStore({ collections: kept, logs: [], faults })
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random: seededRandom(1) })
  if (rows.length > 0)
    await store.commit({ tenant: null, puts: rows.map((row) => put(attempts, row, null)) })
  const runner = () =>
    createRunner({
      ledger,
      clock,
      handlers: [createRetention(kept)],
      owing: owingOn(ledger),
      observer: silentObserver,
      options: { owner: 'w1' },
    })
  const left = () =>
    store
      .rows(attempts)
      .map(({ row }) => row.startedAt - start)
      .sort((a, b) => a - b)
  return { store, clock, runner, left }
}

describe('retention', () => {
  it('removes the attempts of more than seven days, of every tenant, and no other', async () => {
    const ages = [-30 * day, -7 * day - 1, -7 * day, -7 * day + 1, -day, 0]
    const rows = ages.flatMap((age, at) => [
      record('wh_1', at, start + age),
      record('wh_2', at, start + age),
    ])
    const { runner, clock, left } = await bench(rows)
    const work = runner()
    await work.tick()
    assert.equal(left().length, rows.length, 'the first look removes nothing')
    await clock.advance(retentionEveryMs)
    await work.tick()
    assert.deepEqual(new Set(left()), new Set(ages.slice(2)))
    await clock.advance(7 * day)
    await work.tick()
    await clock.advance(retentionEveryMs)
    await work.tick()
    assert.deepEqual(left(), [])
  })

  it('takes any number in bounded commits, one after another', async () => {
    const rows = Array.from({ length: 1_234 }, (_, at) => record('wh_1', at, start - 8 * day))
    const { runner, clock, left } = await bench([...rows, record('wh_1', 9_999, start)])
    const work = runner()
    await work.tick()
    await clock.advance(retentionEveryMs)
    // 12 full windows, and the one that is not.
    assert.equal(await work.tick(), 13)
    assert.deepEqual(left(), [0])
  })

  it('keeps the log when the clock runs ahead for less than a look', async () => {
    const { runner, clock, left } = await bench([record('wh_1', 1, start)])
    const work = runner()
    await work.tick()
    await clock.advance(retentionEveryMs)
    clock.jump(400 * day)
    await work.tick()
    clock.jump(-400 * day)
    assert.deepEqual(left(), [0])
    // Its next look lies far ahead now; the next process does not wait for that.
    await clock.advance(8 * day)
    assert.equal(await runner().tick(), 1)
    await clock.advance(retentionEveryMs)
    await work.tick()
    assert.deepEqual(left(), [])
  })

  it('stands in a store once, whoever starts first, and again when the store fails at the start', async () => {
    let failing = true
    const { runner, store } = await bench([], () => {
      if (failing) throw new Error('no disk')
    })
    const first = runner()
    await assert.rejects(first.tick(), /no disk/)
    failing = false
    await first.tick()
    await Promise.all([first.tick(), runner().tick(), runner().tick()])
    const [found] = await store.read(null, [get(workItems, ['retention', 'attempts'])])
    assert.equal(one(workItems, found)?.row.tenantId, null)
    assert.equal(store.rows(workItems).length, 1)
  })

  it('forgets idempotency keys after 30 days, and no sooner', async () => {
    const keeps = [workItems, receipts] as unknown as readonly Collection[]
    const store = createMemoryStore({ collections: keeps, logs: [] })
    const clock = createManualClock(start)
    const ledger = createLedger({ store, clock, random: seededRandom(1) })
    const receiptAt = (createdAt: number) => ({
      tenantId: 'ten_1',
      applicationId: 'app_1',
      scope: 'reviewCases.open:app_1',
      idempotencyKey: `key-${createdAt}`,
      fingerprint: '00',
      subject: 'rc_1',
      createdAt,
    })
    const puts = [start, start - 29 * day, start - 31 * day].map((at) =>
      put(receipts, receiptAt(at), null),
    )
    await store.commit({ tenant: null, puts })
    const handlers = [createRetention(keeps)]
    const observer = silentObserver
    const options = { owner: 'w1' }
    const owing = owingOn(ledger)
    const work = createRunner({ ledger, clock, handlers, observer, owing, options })
    await work.tick()
    await clock.advance(retentionEveryMs)
    await work.tick()
    const ages = store.rows(receipts).map(({ row }) => (start - row.createdAt) / day)
    assert.deepEqual(new Set(ages), new Set([0, 29]))
  })

  it('refuses a collection whose rows go by work that nobody does', () => {
    const bare = { ...attempts, retain: { work: 'nothing' } } as unknown as Collection
    assert.throws(() => checkRetention([bare], [createRetention(kept)]), /work of kind nothing/)
    checkRetention(kept, [])
  })

  it('refuses a collection that has no index of its age', () => {
    const bare = { ...attempts, indexes: {} } as unknown as Collection
    assert.throws(() => createRetention([bare]), /no index begins with it/)
  })
})
