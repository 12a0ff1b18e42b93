import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { gatherPage } from '../../kernel/ledger/listing.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { members } from '../../organizations/access/records.ts'
import { attempts } from '../../outbox/records.ts'
import { answered, failed } from '../../testing/index.ts'
import {
  admin,
  auditor,
  code,
  day,
  type Fixture,
  fixture,
  hour,
  integrator,
  minute,
  obliging,
  type Published,
  start,
  value,
} from './fixture.ts'

async function verified() {
  const world = fixture()
  const { id } = await world.created()
  await world.pump(obliging)
  return { ...world, id }
}

/** Events that were tried four times in vain. */
async function failedEvents(world: Fixture, count: number): Promise<readonly Published[]> {
  const events: Published[] = []
  for (let i = 0; i < count; i++) events.push(await world.emit('session.flagged'))
  for (const wait of [0, 5_000, 25_000, 125_000]) {
    await world.clock.advance(wait)
    await world.pump(() => answered(503))
  }
  return events
}

test('the recovery read lists what was sent, newest first, each with its status, exactly counted', async () => {
  const world = await verified()
  const { emit, id, clock, take, reviewEvents } = world
  const [failedOne] = await failedEvents(world, 1)
  const delivered = await emit('review.case.created')
  await world.pump(obliging)
  const deliveredAt = clock.now()
  await clock.advance(minute)
  const retried = await emit('review.case.decided')
  await world.pump(() => failed('timeout'))
  await clock.advance(1)
  const flying = await emit('review.case.overdue')
  await take()
  await clock.advance(1)
  const pending = await emit('review.case.expired')
  const page = value(
    await reviewEvents.list(integrator, { subscriptionId: id, page: 1, pageSize: 20 }),
  )
  assert.deepEqual(
    page.events.map(({ event, deliveryStatus, deliveredAt: at }) => [event.id, deliveryStatus, at]),
    [
      [pending.id, 'pending', null],
      [flying.id, 'delivering', null],
      [retried.id, 'retry_scheduled', null],
      [delivered.id, 'delivered', new Date(deliveredAt).toISOString()],
      [failedOne?.id, 'dead_lettered', null],
    ],
  )
  assert.deepEqual(
    [page.subscriptionId, page.totalCount, page.page, page.pageSize, page.hasMore],
    [id, 5, 1, 20, false],
  )
  // The lease of a sender that is gone ends: a retry that is due.
  await clock.advance(minute)
  const later = value(
    await reviewEvents.list(integrator, { subscriptionId: id, page: 1, pageSize: 20 }),
  )
  assert.equal(later.events[1]?.deliveryStatus, 'retry_scheduled')
})

test('pages put together are the whole list, once each', async () => {
  const world = await verified()
  const events: string[] = []
  for (let i = 0; i < 45; i++) {
    events.unshift((await world.emit('review.case.created')).id)
    await world.clock.advance(1)
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (pageSize) => {
      const seen: unknown[] = []
      for (let page = 1; ; page++) {
        const found = value(
          await world.reviewEvents.list(admin, { subscriptionId: world.id, page, pageSize }),
        )
        assert.equal(found.totalCount, 45)
        seen.push(...found.events.map(({ event }) => event.id))
        assert.equal(found.hasMore, seen.length < 45)
        if (!found.hasMore) break
      }
      assert.deepEqual(seen, events)
    }),
    { numRuns: 20 },
  )
  for (const [page, pageSize] of [
    [0, 20],
    [1, 0],
    [1, 101],
    [1.5, 20],
    [-1, 20],
    [1, Number.NaN],
  ] as const) {
    const refused = await world.reviewEvents.list(admin, {
      subscriptionId: world.id,
      page,
      pageSize,
    })
    assert.equal(code(refused), 'invalid_request', `${page} ${pageSize}`)
  }
})

test('a replay opens the next round: same id and bytes, whole budget, new timestamp', async () => {
  const world = await verified()
  const { service, id, clock, posts, deliveryOf } = world
  const [event] = await failedEvents(world, 1)
  assert.ok(event)
  const { deliveryId } = deliveryOf(id, event.id)?.row ?? {}
  assert.equal(
    code(await service.replay(auditor, { webhookId: id, eventId: event.id })),
    'forbidden',
  )
  const result = value(await service.replay(integrator, { webhookId: id, eventId: event.id }))
  assert.deepEqual(result.results, [{ eventId: event.id, result: 'replayed' }])
  const running = value(await service.replay(integrator, { webhookId: id, eventId: event.id }))
  assert.deepEqual(running.results, [{ eventId: event.id, result: 'in_progress' }])
  for (const wait of [0, 5_000, 25_000, 125_000, day]) {
    await clock.advance(wait)
    await world.pump(() => answered(503))
  }
  const all = posts.filter(({ messageId }) => messageId === event.id)
  assert.equal(all.length, 8)
  assert.equal(new Set(all.map(({ body }) => Buffer.from(body).toString())).size, 1)
  const row = deliveryOf(id, event.id)?.row
  assert.deepEqual([row?.round, row?.status, row?.deliveryId], [2, 'dead_lettered', deliveryId])

  const fine = await world.emit('review.case.created')
  await world.pump(obliging)
  value(await service.replay(integrator, { webhookId: id, eventId: fine.id }))
  await clock.advance(2_000)
  await world.pump(obliging)
  const [first, again] = posts.filter(({ messageId }) => messageId === fine.id)
  assert.deepEqual(first?.body, again?.body)
  assert.equal(first?.headers['webhook-id'], again?.headers['webhook-id'])
  assert.notEqual(first?.headers['webhook-timestamp'], again?.headers['webhook-timestamp'])
  assert.equal(
    code(await service.replay(integrator, { webhookId: id, eventId: 'evt_nope' })),
    'not_found',
  )
})

test('recovery replays all that failed in a span, in bounded commits, and says what became of each', async () => {
  const world = await verified()
  const { service, id, clock, emit, posts } = world
  const early = await failedEvents(world, 3)
  const from = clock.now()
  await clock.advance(hour)
  const all = await failedEvents(world, 105)
  const fine = await emit('review.case.created')
  await world.pump(obliging)
  await clock.advance(1)
  const under = await emit('review.case.decided')
  await clock.advance(1)
  const until = clock.now()
  const outside = await emit('review.case.expired')
  const { results } = value(await service.recover(integrator, { webhookId: id, from, until }))
  const by = (wanted: string) =>
    results.filter(({ result }) => result === wanted).map(({ eventId }) => eventId)
  assert.deepEqual(new Set(by('replayed')), new Set(all.map((event) => event.id)))
  assert.deepEqual(by('already_delivered'), [fine.id])
  assert.deepEqual(by('in_progress'), [under.id])
  assert.equal(results.length, 107)
  assert.ok(!results.some(({ eventId }) => eventId === outside.id || eventId === early[0]?.id))
  const before = posts.length
  await world.pump(obliging)
  assert.equal(posts.length - before, 107)
  const again = value(await service.recover(integrator, { webhookId: id, from, until }))
  assert.ok(again.results.every(({ result }) => result === 'already_delivered'))
  // Later than any id can tell.
  const open = value(await service.recover(integrator, { webhookId: id, from, until: 2 ** 51 }))
  assert.equal(open.results.length, 108)
})

test('recovery by type, and of what a turn-off ended', async () => {
  const world = await verified()
  const { service, id, emit } = world
  const kept = await emit('review.case.created')
  const left = await emit('session.flagged')
  value(await service.turnOff(admin, { webhookId: id }))
  const span = { from: start - hour, until: start + hour }
  assert.equal(
    code(await service.recover(integrator, { webhookId: id, ...span })),
    'invalid_transition',
  )
  value(await service.turnOn(admin, { webhookId: id }))
  const types = ['review.case.created']
  const { results } = value(await service.recover(integrator, { webhookId: id, ...span, types }))
  assert.deepEqual(results, [{ eventId: kept.id, result: 'replayed' }])
  await world.pump(obliging)
  assert.equal(world.deliveryOf(id, kept.id)?.row.status, 'delivered')
  assert.equal(world.deliveryOf(id, left.id)?.row.status, 'dead_lettered')
  const wrong = [
    { from: 2, until: 1 },
    { from: 1, until: Number.POSITIVE_INFINITY },
    { from: Number.NaN, until: 1 },
    { ...span, types: ['nope'] },
    { ...span, types: ['*'] },
    { ...span, types: ['subscription.disabled'] },
  ]
  for (const input of wrong)
    assert.equal(
      code(await service.recover(integrator, { webhookId: id, ...input })),
      'invalid_request',
    )
})

test('the delivery log has every attempt of seven days, newest first, with request and answer', async () => {
  const world = await verified()
  const { service, id, clock, emit } = world
  const event = await emit('session.flagged')
  const entity = { body: 'no \ufffd thanks', headers: { 'x-reason': 'busy' }, truncated: true }
  await world.pump(() => answered(503, entity))
  await clock.advance(5_000)
  await world.pump(() => failed('timeout', 'nothing within 10 s'))
  await clock.advance(25_000)
  await world.pump(obliging)
  const logPage = async (page: number, pageSize: number) =>
    gatherPage(value(await service.deliveryLogs(auditor, { webhookId: id, page, pageSize })), {
      page,
      pageSize,
    })
  const log = await logPage(1, 100)
  assert.deepEqual(
    log.items.map((entry) => [
      entry.eventId === event.id,
      entry.attempt,
      entry.trigger,
      entry.outcome,
    ]),
    [
      [true, 3, 'retry', 'delivered'],
      [true, 2, 'retry', 'failed'],
      [true, 1, 'event', 'failed'],
      [false, 1, 'verification', 'delivered'],
    ],
  )
  const [, timeout, refused] = log.items
  assert.deepEqual(
    [timeout?.responseStatus, timeout?.responseBody, timeout?.error],
    [null, null, 'timeout: nothing within 10 s'],
  )
  assert.deepEqual(
    [refused?.responseStatus, refused?.responseBody, refused?.responseHeaders, refused?.truncated],
    [503, entity.body, entity.headers, true],
  )
  assert.equal(JSON.parse(refused?.requestBody ?? '').id, event.id)
  assert.equal(refused?.family, 'legacy')
  assert.deepEqual([log.totalCount, log.hasMore], [4, false])

  const page = await logPage(2, 3)
  assert.deepEqual([page.items.length, page.totalCount, page.hasMore], [1, 4, false])
  assert.equal(
    code(await service.deliveryLogs(auditor, { webhookId: id, page: 1, pageSize: 101 })),
    'invalid_request',
  )
  // The first attempts leave the log though their rows are still there.
  await clock.advance(7 * day - 30_000)
  const left = value(await service.deliveryLogs(auditor, { webhookId: id, page: 1, pageSize: 1 }))
  assert.equal(left.totalCount, 2)
  assert.equal(world.store.rows(attempts).length, 4)
})

test('a whole log is read in bounded pieces, and only as far as it is asked for', async () => {
  const world = await verified()
  const { service, id, store } = world
  for (let i = 0; i < 510; i++) await world.emit('review.case.created')
  await world.pump(obliging)
  const most: number[] = []
  const read = store.read.bind(store)
  store.read = async (tenant, reads) => {
    const found = await read(tenant, reads)
    most.push(Math.max(0, ...found.map(({ rows }) => rows.length)))
    return found
  }
  const pieces = value(await service.wholeDeliveryLog(auditor, { webhookId: id }))[
    Symbol.asyncIterator
  ]()
  const begun = await pieces.next()
  const first = begun.done ? [] : begun.value
  assert.ok(most.length < 5, `${most.length} reads for the first piece`)
  const entries = [...first]
  for (let next = await pieces.next(); !next.done; next = await pieces.next())
    entries.push(...next.value)
  assert.ok(Math.max(...most) <= 50, `a read of ${Math.max(...most)} attempts`)
  const ids = entries.map(({ attemptId }) => attemptId)
  assert.equal(new Set(ids).size, 511)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => (a < b ? 1 : -1)),
  )
  const third = { page: 3, pageSize: 100 }
  const paged = await gatherPage(
    value(await service.deliveryLogs(auditor, { webhookId: id, ...third })),
    third,
  )
  assert.deepEqual(entries.slice(200, 300), paged.items)
})

test('a whole log ends with an error once its reader was deactivated', async () => {
  const world = await verified()
  const { service, id, store } = world
  for (let i = 0; i < 40; i++) await world.emit('review.case.created')
  await world.pump(obliging)
  const pieces = value(await service.wholeDeliveryLog(auditor, { webhookId: id }))
  assert.equal((await pieces.next()).done, false)
  const was = store.rows(members).find(({ row }) => row.memberId === auditor.memberId)
  assert.ok(was)
  const changed = put(members, { ...was.row, status: 'Suspended' }, was)
  await store.commit({ tenant: auditor.tenantId, puts: [changed] })
  await assert.rejects(async () => pieces.next(), { code: 'authentication_required' })
})
