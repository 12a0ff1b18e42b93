import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreportedWindowsPerWebhook } from '../../kernel/ledger/limits.ts'
import type { Letter } from '../../kernel/mail/post.ts'
import { mailContext, owedMails } from '../../kernel/mail/records.ts'
import { deliveries } from '../../outbox/records.ts'
import { answered, plainSealer } from '../../testing/index.ts'
import {
  admin,
  code,
  day,
  type Fixture,
  fixture,
  hour,
  minute,
  obliging,
  type Published,
  start,
  value,
} from './fixture.ts'
import type { Flight, Reply } from './stepper.ts'

const failing: Reply = () => answered(500)

/** Takes what comes but for events of these ids. */
const except =
  (ids: readonly string[]): Reply =>
  (post) =>
    ids.includes(post.messageId) ? answered(500) : obliging(post)

async function verified(options: Parameters<typeof fixture>[0] = {}) {
  const world = fixture(options)
  const { id } = await world.created()
  await world.pump(obliging)
  return { ...world, id }
}

async function nextFlight({ take }: Fixture): Promise<Flight> {
  for (;;) {
    const flight = await take()
    assert.ok(flight, 'something is due')
    if (flight !== 'over') return flight
  }
}

async function through(world: Fixture, ms: number, reply: Reply, step = 30 * minute) {
  for (let passed = 0; passed < ms; passed += step) {
    await world.clock.advance(Math.min(step, ms - passed))
    await world.pump(reply)
  }
}

const noticesOf = (world: Fixture, type: string) => world.posts.filter((post) => post.type === type)

test('one review event that fails for three days turns the webhook off, whatever else succeeds', async () => {
  const world = await verified()
  const { emit, service, id, clock, deliveryOf } = world
  const bad = await emit('review.case.created')
  await world.pump(except([bad.id]))
  const good = await emit('review.case.decided')
  await through(world, 3 * day - hour, except([bad.id]))
  assert.equal(value(await service.read(admin, { webhookId: id })).status, 'receiving')
  const waiting = await emit('session.flagged')
  await through(world, hour, except([bad.id, waiting.id]))
  const off = value(await service.read(admin, { webhookId: id }))
  assert.deepEqual([off.status, off.statusReason], ['turned_off', 'retries_exhausted'])
  assert.equal(deliveryOf(id, good.id)?.row.status, 'delivered')
  assert.equal(deliveryOf(id, bad.id)?.row.status, 'dead_lettered')
  const disabled = noticesOf(world, 'subscription.disabled')
  assert.deepEqual(
    disabled.map(({ event, status }) => [event.reason, event.subscriptionId, status]),
    [['retries_exhausted', id, 200]],
  )
  assert.ok(clock.now() >= start + 3 * day)
  const last = world.audits().at(-1)
  assert.deepEqual(
    [last?.actor, last?.action, last?.detail],
    ['system', 'webhook.turned_off', { reason: 'retries_exhausted' }],
  )
})

test('a success within the three days is a success; failing notices and legacy events turn nothing off', async () => {
  const world = await verified()
  const { emit, service, id, deliveryOf } = world
  const late = await emit('review.case.created')
  const flagged = await emit('session.flagged')
  await service.requestVerification(admin, { webhookId: id })
  await world.pump(failing)
  await through(world, 3 * day - hour, failing)
  assert.equal(deliveryOf(id, flagged.id)?.row.status, 'dead_lettered')
  await through(world, 2 * hour, (post) =>
    post.messageId === late.id ? obliging(post) : answered(500),
  )
  assert.equal(deliveryOf(id, late.id)?.row.status, 'delivered')
  const after = value(await service.read(admin, { webhookId: id }))
  assert.deepEqual([after.status, after.verification.state], ['receiving', 'failed'])
})

test('while off nothing of what was selected is owed; notices still go', async () => {
  const world = await verified()
  const { emit, service, id, store, posts } = world
  value(await service.turnOff(admin, { webhookId: id }))
  const rows = store.rows(deliveries).length
  for (const type of ['review.case.created', 'session.flagged'] as const) await emit(type)
  assert.equal(store.rows(deliveries).length, rows)
  const sent = posts.length
  value(await service.update(admin, { webhookId: id, secret: 'words' }))
  value(await service.update(admin, { webhookId: id, secret: 'other words' }))
  await world.pump(obliging)
  assert.deepEqual(
    posts.slice(sent).map(({ type }) => type),
    ['subscription.signing_key_rotating'],
  )
  assert.equal(noticesOf(world, 'subscription.disabled').length, 0)
  const again = value(await service.turnOff(admin, { webhookId: id }))
  assert.equal(again.statusReason, 'owner')
})

test('what waits at turn-off is dead-lettered and listed at once, and written down piece by piece', async () => {
  const world = await verified()
  const { emit, service, id, deliveryOf, runner, clock, reviewEvents } = world
  const events: Published[] = []
  for (let i = 0; i < 210; i++) events.push(await emit('review.case.created'))
  await clock.advance(1)
  await world.pump(({ messageId }) => answered(messageId === events[0]?.id ? 500 : 200))
  const pending = []
  for (let i = 0; i < 210; i++) pending.push(await emit('review.case.decided'))
  value(await service.turnOff(admin, { webhookId: id }))
  const page = { subscriptionId: id, page: 1, pageSize: 100 }
  const listed = value(await reviewEvents.list(admin, page))
  assert.equal(listed.totalCount, 420)
  assert.ok(listed.events.every(({ deliveryStatus }) => deliveryStatus === 'dead_lettered'))
  assert.equal(deliveryOf(id, pending[0]?.id ?? '')?.row.status, 'pending')
  assert.ok((await runner.tick()) > 1)
  for (const { id: eventId } of [...pending, ...events.slice(0, 1)]) {
    const { status, due } = deliveryOf(id, eventId)?.row ?? {}
    assert.deepEqual([status, due], ['dead_lettered', null])
  }
  assert.equal(deliveryOf(id, events[1]?.id ?? '')?.row.status, 'delivered')
})

test('what is in flight at turn-off settles by its answer', async () => {
  for (const [status, expected] of [
    [200, 'delivered'],
    [500, 'retry_scheduled'],
  ] as const) {
    const world = await verified()
    const { emit, service, id, deliveryOf, runner, clock } = world
    const event = await emit('review.case.created')
    const flight = await nextFlight(world)
    value(await service.turnOff(admin, { webhookId: id }))
    await runner.tick()
    assert.equal(deliveryOf(id, event.id)?.row.status, 'pending')
    await flight.land(answered(status))
    assert.equal(deliveryOf(id, event.id)?.row.status, expected)
    await clock.advance(hour)
    const posts = world.posts.length
    await world.pump(obliging)
    assert.equal(world.posts.length, posts)
    const ended = expected === 'delivered' ? 'delivered' : 'dead_lettered'
    assert.equal(deliveryOf(id, event.id)?.row.status, ended)
  }
})

test('turned on, the challenge is asked, and the first 2xx brings the window, whose times hold what was missed', async () => {
  const world = await verified()
  const { emit, service, id, clock } = world
  const before = await emit('review.case.created')
  await world.pump(obliging)
  const off = value(await service.turnOff(admin, { webhookId: id }))
  const missed = [await emit('review.case.decided')]
  await clock.advance(5 * minute)
  missed.push(await emit('session.flagged'))
  const on = value(await service.turnOn(admin, { webhookId: id }))
  assert.deepEqual([on.status, on.statusReason, on.turnedOffAt], ['receiving', null, null])
  const after = await emit('review.case.expired')
  await world.pump(failing)
  assert.equal(noticesOf(world, 'subscription.events_missed').length, 0)
  await through(world, hour, obliging)
  const [notice, ...more] = noticesOf(world, 'subscription.events_missed')
  assert.equal(more.length, 0)
  assert.equal(notice?.event.missedFrom, off.turnedOffAt)
  const from = Date.parse(String(notice?.event.missedFrom))
  const until = Date.parse(String(notice?.event.missedUntil))
  const inside = (at: number) => from <= at && at < until
  assert.deepEqual(
    missed.map(({ at }) => inside(at)),
    [true, true],
  )
  assert.deepEqual(
    [before, after].map(({ at }) => inside(at)),
    [false, false],
  )
  assert.deepEqual(world.webhookOf(id).unreported, [])
  value(await service.turnOn(admin, { webhookId: id }))
  await world.pump(obliging)
  assert.equal(noticesOf(world, 'subscription.verification_requested').length >= 2, true)
})

test('a window is reported also when nothing was missed', async () => {
  const world = await verified()
  value(await world.service.turnOff(admin, { webhookId: world.id }))
  value(await world.service.turnOn(admin, { webhookId: world.id }))
  await world.pump(obliging)
  assert.equal(noticesOf(world, 'subscription.events_missed').length, 1)
})

test('windows that nobody was told of add up; each is reported once, by one event, and none overlap', async () => {
  const world = await verified()
  const { service, id, clock, emit } = world
  for (let i = 0; i < 3; i++) {
    value(await service.turnOff(admin, { webhookId: id }))
    await emit('review.case.created')
    await clock.advance(minute)
    value(await service.turnOn(admin, { webhookId: id }))
    // The verification is taken, the reports before it are not: they outlive the next turn-off.
    let flight = await nextFlight(world)
    for (; flight.post.type === 'subscription.events_missed'; flight = await nextFlight(world))
      await flight.land(answered(500))
    assert.equal(flight.post.type, 'subscription.verification_requested')
    await flight.land(obliging(flight.post))
  }
  assert.equal(world.webhookOf(id).unreported.length, 3)
  await through(world, day, obliging)
  const reports = noticesOf(world, 'subscription.events_missed').filter(
    ({ status }) => status === 200,
  )
  assert.equal(new Set(reports.map(({ messageId }) => messageId)).size, 3)
  assert.equal(reports.length, 3)
  const windows = reports
    .map(({ event }) => ({ from: String(event.missedFrom), until: String(event.missedUntil) }))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
  for (const [at, { from }] of windows.entries()) assert.ok(from >= (windows[at - 1]?.until ?? ''))
  assert.deepEqual(world.webhookOf(id).unreported, [])
})

test('a report that was given up is owed again, under its own id', async () => {
  const world = await verified()
  const { service, id } = world
  value(await service.turnOff(admin, { webhookId: id }))
  value(await service.turnOn(admin, { webhookId: id }))
  const refuses: Reply = (post) =>
    post.type === 'subscription.events_missed' ? answered(422) : obliging(post)
  await world.pump(refuses)
  await through(world, 4 * day, refuses, hour)
  assert.equal(world.webhookOf(id).unreported.length, 1)
  await world.emit('review.case.created')
  await through(world, hour, obliging)
  const reports = noticesOf(world, 'subscription.events_missed')
  assert.equal(new Set(reports.map(({ messageId }) => messageId)).size, 1)
  assert.deepEqual(world.webhookOf(id).unreported, [])
})

test('the contact address is owed one mail when a webhook is turned off, without its URL', async () => {
  const world = await verified({ mailer: { send: async () => {} } })
  const { emit, store, id } = world
  await emit('session.flagged')
  await world.pump(() => answered(410))
  assert.equal(world.webhookOf(id).statusReason, 'endpoint_gone')
  const [mail, ...more] = store.rows(owedMails)
  assert.ok(mail && more.length === 0)
  const { tenantId, mailId, sealed } = mail.row
  const text = new TextDecoder().decode(plainSealer().open(sealed, mailContext(tenantId, mailId)))
  const letter = JSON.parse(text) as Letter
  assert.deepEqual([letter.to, letter.subject], [null, 'A webhook was turned off'])
  assert.ok(letter.text.includes(`${id} was turned off`) && letter.text.includes('410'))
  assert.ok(!letter.text.includes('https:'))
})

test('a 410 ends everything in every family, before the owner turns the webhook on at another URL', async () => {
  for (const type of ['review.case.created', 'session.flagged', 'notice', 'test'] as const) {
    const world = await verified()
    const { emit, service, id, store, clock } = world
    const waiting = await emit('review.case.expired')
    await world.pump(failing)
    if (type === 'notice') value(await service.requestVerification(admin, { webhookId: id }))
    else if (type === 'test') void service.test(admin, { webhookId: id })
    else await emit(type)
    await clock.advance(0)
    await world.pump(({ messageId }) => answered(messageId === waiting.id ? 500 : 410))
    const gone = value(await service.read(admin, { webhookId: id }))
    assert.deepEqual([gone.status, gone.statusReason], ['turned_off', 'endpoint_gone'], type)
    assert.deepEqual(world.audits().at(-1)?.detail, { reason: 'endpoint_gone' })
    const sent = world.posts.length
    await emit('review.case.decided')
    assert.equal(code(await service.turnOn(admin, { webhookId: id })), 'endpoint_gone')
    assert.equal(code(await service.test(admin, { webhookId: id })), 'endpoint_gone')
    assert.equal(code(await service.requestVerification(admin, { webhookId: id })), 'endpoint_gone')
    assert.equal(
      code(await service.replay(admin, { webhookId: id, eventId: waiting.id })),
      'endpoint_gone',
    )
    for (const same of ['https://A.example/hook', 'HTTPS://a.example/hook#x'])
      assert.equal(code(await service.update(admin, { webhookId: id, url: same })), 'endpoint_gone')
    assert.equal(
      code(await service.update(admin, { webhookId: id, signing: { method: 'shared_secret' } })),
      'endpoint_gone',
    )
    assert.equal(code(await service.turnOn(admin, { webhookId: id })), 'endpoint_gone')
    value(
      await service.update(admin, {
        webhookId: id,
        url: 'https://b.example/hook',
        secret: 'words',
      }),
    )
    value(await service.update(admin, { webhookId: id, secret: 'other words' }))
    await through(world, 4 * day, obliging, 6 * hour)
    assert.equal(world.posts.length, sent, 'nothing was sent')
    assert.ok(!store.rows(deliveries).some(({ row }) => row.due !== null))

    value(await service.turnOn(admin, { webhookId: id }))
    await world.pump(obliging)
    assert.deepEqual(
      world.posts.slice(sent).map((post) => [post.type, post.url]),
      [
        ['subscription.verification_requested', 'https://b.example/hook'],
        ['subscription.events_missed', 'https://b.example/hook'],
      ],
    )
    assert.deepEqual(world.webhookOf(id).goneUrls, ['https://a.example/hook'])
    const back = await service.update(admin, { webhookId: id, url: 'https://a.example./%68ook' })
    assert.equal(code(back), 'endpoint_gone', 'for good')
    assert.equal(value(await service.read(admin, { webhookId: id })).url, 'https://b.example/hook')
  }
})

test('a 410 from where the webhook no longer leads says nothing about where it leads now', async () => {
  const world = await verified()
  const { emit, service, id } = world
  await emit('review.case.created')
  const flight = await nextFlight(world)
  value(await service.update(admin, { webhookId: id, url: 'https://b.example/hook' }))
  await flight.land(answered(410))
  assert.equal(value(await service.read(admin, { webhookId: id })).status, 'receiving')
  const back = await service.update(admin, { webhookId: id, url: 'https://a.example/hook' })
  assert.equal(code(back), 'endpoint_gone', 'and is remembered all the same')
})

test('a 410 while off is the last word too; two at once are one', async () => {
  const world = await verified()
  const { emit, service, id, take } = world
  await emit('review.case.created')
  await emit('review.case.decided')
  const flights = [await take(), await take()]
  value(await service.turnOff(admin, { webhookId: id }))
  const { turnedOffAt, unreported } = world.webhookOf(id)
  for (const flight of flights) {
    assert.ok(flight && flight !== 'over')
    await flight.land(answered(410))
  }
  const gone = world.webhookOf(id)
  assert.equal(gone.statusReason, 'endpoint_gone')
  assert.deepEqual([gone.turnedOffAt, gone.unreported], [turnedOffAt, unreported])
  assert.equal(world.audits().filter(({ detail }) => detail.reason === 'endpoint_gone').length, 1)
})

test('the give-up of a replayed round turns off, that of an earlier generation does not', async () => {
  const world = await verified()
  const { emit, service, id, take } = world
  const event = await emit('review.case.created')
  await world.pump(failing)
  for (let i = 0; i < 20; i++) await through(world, 3.5 * hour, failing, hour)
  await world.clock.advance(3 * hour)
  const flight = await take()
  assert.ok(flight && flight !== 'over' && flight.post.messageId === event.id)
  value(await service.turnOff(admin, { webhookId: id }))
  value(await service.turnOn(admin, { webhookId: id }))
  await flight.land(answered(500))
  assert.equal(world.deliveryOf(id, event.id)?.row.status, 'dead_lettered')
  assert.equal(value(await service.read(admin, { webhookId: id })).status, 'receiving')
  value(await service.replay(admin, { webhookId: id, eventId: event.id }))
  await through(world, 3 * day + hour, except([event.id]), hour)
  assert.equal(
    value(await service.read(admin, { webhookId: id })).statusReason,
    'retries_exhausted',
  )
})

test('windows that nobody was told of are bounded: the oldest become one, and nothing missed lies outside', async () => {
  const world = await verified()
  const { service, id, clock, emit } = world
  const missed: Published[] = []
  const turns = unreportedWindowsPerWebhook + 30
  for (let i = 0; i < turns; i++) {
    value(await service.turnOff(admin, { webhookId: id }))
    missed.push(await emit('review.case.created'))
    await clock.advance(10_000)
    value(await service.turnOn(admin, { webhookId: id }))
    // The first reports were announced and ended unsent.
    const flight = i < 20 ? await nextFlight(world) : null
    await flight?.land(obliging(flight.post))
    assert.ok(world.webhookOf(id).unreported.length <= unreportedWindowsPerWebhook)
  }
  assert.equal(world.webhookOf(id).unreported.length, unreportedWindowsPerWebhook)
  await world.pump(obliging)
  await through(world, hour, obliging)
  assert.deepEqual(world.webhookOf(id).unreported, [])
  const windows = noticesOf(world, 'subscription.events_missed').map(({ event }) => ({
    from: Date.parse(String(event.missedFrom)),
    until: Date.parse(String(event.missedUntil)),
  }))
  for (const { at } of missed)
    assert.ok(
      windows.some(({ from, until }) => from <= at && at < until),
      `${at}`,
    )
})
