import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { EventType } from '../../base/events/catalogue.ts'
import { newId } from '../../kernel/ledger/ids.ts'
import { deepestRow } from '../../kernel/ledger/page.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { answered, failed } from '../../testing/index.ts'
import {
  admin,
  auditor,
  code,
  type Fixture,
  fixture,
  hour,
  minute,
  obliging,
  start,
  stranger,
  value,
} from './fixture.ts'

type Asked = Parameters<Fixture['service']['listDeliveries']>[1]
type Part = { readonly rows: readonly { readonly eventId: string }[]; readonly next: string | null }

const statuses = ['pending', 'retry_scheduled', 'delivered', 'dead_lettered'] as const
const types = ['review.case.created', 'session.flagged', 'subscription.disabled'] as const
const isoOf = (ms: number) => new Date(ms).toISOString()

interface Given {
  readonly status: (typeof statuses)[number]
  readonly type: (typeof types)[number]
  /** Ms after `start`. */
  readonly at: number
}

/** A webhook that was owed these, whatever became of them. */
async function owed(given: readonly Given[]): Promise<Fixture & { readonly id: string }> {
  const world = fixture()
  const { id } = await world.created({ eventTypes: ['session.flagged'] })
  await world.pump(obliging)
  const [first] = world.store.rows(deliveries)
  assert.ok(first)
  await world.store.commit({
    tenant: null,
    puts: given.map(({ status, type, at }) => {
      const messageId = newId('evt', start + at, world.random)
      const row: Delivery = {
        ...first.row,
        ...{ messageId, type, status, createdAt: start + at },
        kind: 'event',
        due: status === 'pending' || status === 'retry_scheduled' ? start + hour : null,
      }
      return put(deliveries, row, null)
    }),
    removes: [{ in: 'deliveries', key: [id, first.row.messageId], version: first.version }],
  })
  return { ...world, id }
}

const given = fc.record({
  status: fc.constantFrom(...statuses),
  type: fc.constantFrom(...types),
  at: fc.nat(20),
})
const filters = fc.record(
  {
    status: fc.constantFrom(...statuses),
    type: fc.constantFrom(...types),
    from: fc.integer({ min: -1, max: 21 }),
    until: fc.integer({ min: -1, max: 22 }),
  },
  { requiredKeys: [] },
)

describe('the list of deliveries', () => {
  const property =
    (change: (asked: Asked) => Asked = (asked) => asked) =>
    async () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(given, { maxLength: 25 }),
          filters.filter(({ from = -2, until = 23 }) => from < until),
          fc.integer({ min: 1, max: 7 }),
          async (some, { from, until, ...filter }, limit) => {
            const { service, store, id } = await owed(some)
            const expected = store
              .rows(deliveries)
              .map(({ row }) => row)
              .filter(
                ({ status, type, createdAt }) =>
                  (filter.status ?? status) === status &&
                  (filter.type ?? type) === type &&
                  start + (from ?? 0) <= createdAt &&
                  createdAt < start + (until ?? hour),
              )
              .map(({ messageId }) => messageId)
              .sort()
              .toReversed()
            const seen: string[] = []
            for (let after: string | undefined; ; ) {
              const asked = {
                ...filter,
                ...(from !== undefined && { from: start + from }),
                ...(until !== undefined && { until: start + until }),
                ...(after !== undefined && { after }),
              }
              const part: Part & { readonly totalCount: number } = value(
                await service.listDeliveries(auditor, change({ webhookId: id, limit, ...asked })),
              )
              // Of a type, what is behind the cursor is counted.
              const left = filter.type ? expected.length - seen.length : expected.length
              assert.equal(part.totalCount, left)
              assert.ok(part.rows.length <= limit)
              seen.push(...part.rows.map(({ eventId }) => eventId))
              if (part.next === null) break
              after = part.next
            }
            assert.deepEqual(seen, expected)
          },
        ),
        { numRuns: 150, seed: 7 },
      )

  it('is read by cursor to its end, each row once, whatever it is filtered by', property())

  for (const name of ['status', 'type', 'from', 'until'] as const)
    it(`has no filter that could be left out: ${name}`, () =>
      assert.rejects(property(({ [name]: _, ...asked }) => asked)))

  it('tries a type on so many entries an answer, and goes on behind them', async () => {
    const rare = { status: 'delivered', type: 'subscription.disabled', at: 0 } as const
    const { service, store, id } = await owed([
      rare,
      ...Array.from({ length: deepestRow + 50 }, (_, at) => ({
        status: statuses[at % 2] ?? 'pending',
        type: 'session.flagged' as const,
        at: 1 + at,
      })),
    ])
    const read = store.read.bind(store)
    let rows = 0
    store.read = async (tenant, reads) => {
      const found = await read(tenant, reads)
      rows += found.reduce((sum, each) => sum + each.rows.length, 0)
      return found
    }
    const type: EventType = 'subscription.disabled'
    let answers = 0
    const seen: unknown[] = []
    let after: string | null = null
    do {
      const part: Part = value(
        await service.listDeliveries(auditor, {
          ...{ webhookId: id, type },
          ...(after !== null && { after }),
        }),
      )
      answers++
      seen.push(...part.rows)
      after = part.next
    } while (after !== null)
    assert.equal(seen.length, 1)
    assert.ok(answers > 1 && answers < 8, `${answers} answers`)
    assert.ok(rows < 100, `${rows} rows were read`)
  })

  it('has what became of each: its tries, the last answer, the next try and the last one', async () => {
    const world = fixture()
    const { clock, emit, pump, service, take } = world
    const { id } = await world.created()
    await pump(obliging)
    await clock.advance(1)
    const refused = await emit('review.case.created')
    await pump(() => answered(503))
    const triedAt = clock.now()
    await clock.advance(1)
    const broken = await emit('session.flagged')
    await pump(() => failed('timeout', 'nothing within 10 s'))
    await clock.advance(1)
    const flying = await emit('review.case.decided')
    await take()
    await clock.advance(1)
    const waiting = await emit('review.case.overdue')
    const { rows } = value(await service.listDeliveries(auditor, { webhookId: id }))
    const tale = rows.map((row) => [
      ...[row.eventId, row.kind, row.status, row.attempts, row.lastAttemptAt],
      ...[row.lastResponseStatus, row.lastError, row.deadlineAt],
    ])
    const [, , third, fourth, notice] = rows
    assert.deepEqual(tale, [
      [waiting.id, 'event', 'pending', 0, null, null, null, null],
      [flying.id, 'event', 'delivering', 1, null, null, null, null],
      [broken.id, 'event', 'retry_scheduled', 1, isoOf(triedAt + 1), null, 'timeout', null],
      [
        ...[refused.id, 'event', 'retry_scheduled', 1, isoOf(triedAt)],
        ...[503, 'answered 503, expected 2xx', isoOf(triedAt + 72 * hour)],
      ],
      [notice?.eventId, 'notice', 'delivered', 1, isoOf(start), 200, null, null],
    ])
    assert.equal(rows[0]?.nextAttemptAt, isoOf(clock.now()))
    assert.equal(rows[1]?.nextAttemptAt, null)
    assert.equal(third?.nextAttemptAt, isoOf(triedAt + 1 + 5_000))
    const wait = Date.parse(fourth?.nextAttemptAt ?? '') - triedAt
    assert.ok(wait >= 5_000 && wait <= 6_000, `${wait} ms`)
    assert.equal(notice?.nextAttemptAt, null)
    // What is under way is found as it waited.
    const found = await service.listDeliveries(auditor, { webhookId: id, status: 'pending' })
    assert.deepEqual(
      value(found).rows.map(({ status }) => status),
      ['pending', 'delivering'],
    )
    await clock.advance(minute)
    await pump(() => answered(204))
    const [, , , again] = value(await service.listDeliveries(auditor, { webhookId: id })).rows
    assert.deepEqual(
      [again?.status, again?.attempts, again?.lastResponseStatus, again?.lastError],
      ['delivered', 2, 204, null],
    )
  })

  it('is refused by its faults, and to other organizations', async () => {
    const { service, id } = await owed([])
    const wrong = [
      { limit: 101 },
      { limit: 0 },
      { status: 'delivering' as 'pending' },
      { type: 'nope' as EventType },
      { from: 2, until: 2 },
      { after: '' },
    ]
    for (const more of wrong)
      assert.equal(
        code(await service.listDeliveries(admin, { webhookId: id, ...more })),
        'invalid_request',
        JSON.stringify(more),
      )
    assert.equal(code(await service.listDeliveries(stranger, { webhookId: id })), 'not_found')
  })
})
