import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditedUrl } from '../../kernel/ledger/endpoint-url.ts'
import { deliveries } from '../../outbox/records.ts'
import { portablePrimitives } from '../../proof/signing/portable.ts'
import { answered } from '../../testing/index.ts'
import { type CreateWebhook, routings, webhooks } from '../../webhooks/records.ts'
import { admin, auditor, code, day, fixture, obliging, start, stranger, value } from './fixture.ts'

const url = 'https://a.example/hook'
const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

test('a webhook is active at once, is asked for its challenge, and verified by it', async () => {
  const world = fixture()
  const { created, service, posts, pump } = world
  const webhook = await created()
  assert.deepEqual(
    [webhook.status, webhook.statusReason, webhook.verification.state],
    ['receiving', null, 'pending'],
  )
  assert.match(webhook.signing.publicKey ?? '', /^whpk_/)
  assert.equal(webhook.signing.keyVersion, 1)
  assert.deepEqual([webhook.signing.hasSecret, webhook.signing.secret], [false, undefined])
  assert.equal(await pump(obliging), 1)
  const [post] = posts
  assert.deepEqual(post?.event, {
    id: post?.messageId,
    schemaVersion: 1,
    time: new Date(start).toISOString(),
    tenantId: 'ten_1',
    subscriptionId: webhook.id,
    type: 'subscription.verification_requested',
    challenge: world.webhookOf(webhook.id).verification.challenge,
    reason: null,
    previousSecretValidUntil: null,
    missedFrom: null,
    missedUntil: null,
  })
  const read = value(await service.read(auditor, { webhookId: webhook.id }))
  assert.equal(read.verification.state, 'verified')
  assert.equal(read.verification.verifiedAt, new Date(start).toISOString())
  assert.deepEqual(value(await service.list(auditor, {})).webhooks, [read])
  assert.deepEqual(
    world.audits().map(({ actor, action, subject }) => [actor, action, subject]),
    [['member:mem_1', 'webhook.created', webhook.id]],
  )
})

test('the audit log says where a webhook led and how it was signed after each change', async () => {
  const { service, created, audits } = fixture()
  const { id } = await created({ eventTypes: ['review.case.decided', 'session.flagged'] })
  const moved = { url: 'https://b.example/hook', eventTypes: ['*'], secret: 'not told' }
  value(await service.update(admin, { webhookId: id, ...moved }))
  assert.deepEqual(
    audits().map(({ detail }) => detail),
    [
      { ...auditedUrl(url), method: 'ed25519', eventTypes: 'review.case.decided, session.flagged' },
      { ...auditedUrl(moved.url), method: 'ed25519', eventTypes: '*' },
    ],
  )
})

test('only the exact challenge verifies; another 2xx is a delivery all the same', async () => {
  const answers: readonly [string, string, boolean?][] = [
    ['verified', '{"challenge":"?"}'],
    ['verified', ' {"challenge":"?"}\n'],
    ['failed', '{"challenge":"wrong"}'],
    ['failed', '{"challenge":"?","more":1}'],
    ['failed', '["?"]'],
    ['failed', '"?"'],
    ['failed', '{}'],
    ['failed', 'null'],
    ['failed', '?'],
    ['failed', ''],
    ['failed', '{"challenge":"?"}', true],
  ]
  for (const [state, body, truncated = false] of answers) {
    const { created, service, pump, deliveryOf, posts } = fixture()
    const { id } = await created()
    await pump(({ event }) =>
      answered(200, { body: body.replaceAll('?', String(event.challenge)), truncated }),
    )
    assert.equal(
      value(await service.read(admin, { webhookId: id })).verification.state,
      state,
      body,
    )
    assert.equal(deliveryOf(id, posts[0]?.messageId ?? '')?.row.status, 'delivered')
  }
})

test('a verification that is never taken fails with its last attempt; asking anew starts afresh', async () => {
  const world = fixture()
  const { created, service, pump, clock } = world
  const { id } = await created()
  await pump(() => answered(500))
  assert.equal(value(await service.read(admin, { webhookId: id })).verification.state, 'pending')
  for (let i = 0; i < 40; i++) {
    await clock.advance(2 * 3_600_000)
    await pump(() => answered(500))
  }
  const failed = value(await service.read(admin, { webhookId: id }))
  assert.deepEqual([failed.verification.state, failed.status], ['failed', 'receiving'])
  const before = world.webhookOf(id).verification.challenge
  assert.equal(
    value(await service.requestVerification(admin, { webhookId: id })).verification.state,
    'pending',
  )
  assert.notEqual(world.webhookOf(id).verification.challenge, before)
  await pump(obliging)
  assert.equal(value(await service.read(admin, { webhookId: id })).verification.state, 'verified')
})

test('an answer to an older challenge decides nothing', async () => {
  const { created, service, take, pump } = fixture()
  const { id } = await created()
  const flight = await take()
  assert.ok(flight && flight !== 'over')
  await service.requestVerification(admin, { webhookId: id })
  await flight.land(obliging(flight.post))
  assert.equal(value(await service.read(admin, { webhookId: id })).verification.state, 'pending')
  await pump(obliging)
  assert.equal(value(await service.read(admin, { webhookId: id })).verification.state, 'verified')
})

test('a new URL or signing method asks for verification again, the rest does not', async () => {
  const { created, service, pump, posts } = fixture()
  const { id } = await created()
  await pump(obliging)
  await service.update(admin, { webhookId: id, description: 'x', eventTypes: ['alert.triggered'] })
  assert.equal(await pump(obliging), 0)
  await service.update(admin, { webhookId: id, url: 'https://b.example/hook' })
  assert.equal(await pump(obliging), 1)
  assert.equal(posts.at(-1)?.url, 'https://b.example/hook')
  const view = value(
    await service.update(admin, { webhookId: id, signing: { method: 'shared_secret' } }),
  )
  assert.match(view.signing.secret ?? '', /^whsec_/)
  assert.deepEqual([view.signing.publicKey, view.signing.hasSecret], [null, true])
  assert.equal(await pump(obliging), 1)
  assert.deepEqual([view.description, view.eventTypes], ['x', ['alert.triggered']])
})

test('saving what is there changes nothing and sends nothing', async () => {
  const { created, service, pump, store, audits } = fixture()
  const { id } = await created({ secret: 'old words' })
  await pump(obliging)
  const before = store.rows(webhooks)
  const written = audits().length
  value(await service.update(admin, { webhookId: id, url, eventTypes: ['*'], secret: 'old words' }))
  assert.deepEqual(store.rows(webhooks), before)
  assert.equal(audits().length, written)
})

test('a secret is kept, rotated or removed; it shows only where it was made', async () => {
  const { created, service } = fixture()
  const made = await created({ signing: { method: 'shared_secret' } })
  assert.match(made.signing.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(value(await service.read(admin, { webhookId: made.id })).signing.secret, undefined)
  const given = await created({ secret: 'any words' })
  assert.deepEqual([given.signing.secret, given.signing.method], ['any words', 'ed25519'])
  const kept = value(await service.update(admin, { webhookId: given.id, description: 'x' }))
  assert.deepEqual([kept.signing.hasSecret, kept.signing.secret], [true, undefined])
  const rotated = value(await service.update(admin, { webhookId: given.id, secret: 'other words' }))
  assert.equal(rotated.signing.secret, 'other words')
  assert.equal(rotated.signing.previousSecretValidUntil, new Date(start + day).toISOString())
  const removed = value(await service.update(admin, { webhookId: given.id, secret: null }))
  assert.deepEqual(
    [removed.signing.hasSecret, removed.signing.previousSecretValidUntil],
    [false, null],
  )
})

test('bad input is refused by name, and nothing is written', async () => {
  const { service, store, created } = fixture()
  const good: CreateWebhook = { url, eventTypes: ['*'] }
  const bad: readonly [Partial<CreateWebhook>, string, string][] = [
    [{ url: 'http://a.example/' }, 'invalid_url', '/url'],
    [{ url: 'https://user:pass@a.example/' }, 'invalid_url', '/url'],
    [{ url: 'a.example' }, 'invalid_url', '/url'],
    [{ url: 'https://' }, 'invalid_url', '/url'],
    [{ url: `https://a.example/${'x'.repeat(2_048)}` }, 'invalid_request', '/url'],
    [{ url: 'https://a.example/\n' }, 'invalid_url', '/url'],
    [{ url: 'https://internal.example/' }, 'refused_address', '/url'],
    [{ eventTypes: [] }, 'invalid_request', '/eventTypes'],
    [{ eventTypes: ['review.case.decided', 'nope'] }, 'invalid_request', '/eventTypes/1'],
    [{ eventTypes: ['subscription.disabled'] }, 'invalid_request', '/eventTypes/0'],
    [{ description: 'x'.repeat(501) }, 'invalid_request', '/description'],
    [{ description: 'a\0' }, 'invalid_request', '/description'],
    [{ secret: '' }, 'invalid_request', '/secret'],
    [{ secret: 'x'.repeat(201) }, 'invalid_request', '/secret'],
    [{ secret: '\ud800' }, 'invalid_request', '/secret'],
    [{ signing: { method: 'shared_secret' }, secret: null }, 'invalid_request', '/secret'],
    [{ signing: { method: 'shared_secret' }, secret: 'words' }, 'invalid_request', '/secret'],
    [{ signing: { method: 'shared_secret' }, secret: 'whsec_AAAA' }, 'invalid_request', '/secret'],
  ]
  for (const [more, expected, pointer] of bad) {
    const result = await service.create(admin, { ...good, ...more })
    assert.ok(!result.ok, JSON.stringify(more))
    assert.equal(result.refusal.code, expected, JSON.stringify(more))
    assert.deepEqual(
      result.refusal.errors?.map((error) => error.pointer),
      [pointer],
    )
  }
  assert.equal(store.rows(webhooks).length, 0)
  const { id } = await created({ secret: 'words' })
  const rows = store.rows(webhooks)
  const wrong = [
    { signing: { method: 'shared_secret' } },
    { signing: { method: 'shared_secret' }, secret: null },
    { url: 'http://a.example' },
  ] as const
  for (const input of wrong)
    assert.notEqual(code(await service.update(admin, { webhookId: id, ...input })), null)
  assert.deepEqual(store.rows(webhooks), rows)
})

test('selected types are kept once, all of them as *', async () => {
  const { created } = fixture()
  const two = await created({ eventTypes: ['alert.triggered', 'alert.triggered'] })
  assert.deepEqual(two.eventTypes, ['alert.triggered'])
  assert.deepEqual((await created({ eventTypes: ['alert.triggered', '*'] })).eventTypes, ['*'])
})

test("an auditor may look and no more; another tenant's webhook is as good as none", async () => {
  const { service, created, pump, store, reviewEvents } = fixture()
  const { id } = await created({ secret: 'words' })
  await pump(obliging)
  const before = store.rows(webhooks)
  const page = { page: 1, pageSize: 20 }
  const calls = {
    read: (actor: typeof admin, to: string) => service.read(actor, { webhookId: to }),
    deliveryLogs: (actor: typeof admin, to: string) =>
      service.deliveryLogs(actor, { webhookId: to, ...page }),
    wholeDeliveryLog: (actor: typeof admin, to: string) =>
      service.wholeDeliveryLog(actor, { webhookId: to }),
    update: (actor: typeof admin, to: string) => service.update(actor, { webhookId: to, url }),
    remove: (actor: typeof admin, to: string) => service.remove(actor, { webhookId: to }),
    test: (actor: typeof admin, to: string) => service.test(actor, { webhookId: to }),
    verify: (actor: typeof admin, to: string) =>
      service.requestVerification(actor, { webhookId: to }),
    rotate: (actor: typeof admin, to: string) => service.rotateSecret(actor, { webhookId: to }),
    turnOn: (actor: typeof admin, to: string) => service.turnOn(actor, { webhookId: to }),
    turnOff: (actor: typeof admin, to: string) => service.turnOff(actor, { webhookId: to }),
    replay: (actor: typeof admin, to: string) =>
      service.replay(actor, { webhookId: to, eventId: 'evt_1' }),
    recover: (actor: typeof admin, to: string) =>
      service.recover(actor, { webhookId: to, from: 0, until: start }),
    reviewEvents: (actor: typeof admin, to: string) =>
      reviewEvents.list(actor, { subscriptionId: to, ...page }),
    reviewEventsAfter: (actor: typeof admin, to: string) =>
      reviewEvents.list(actor, { subscriptionId: to, limit: 20 }),
  }
  for (const [name, call] of Object.entries(calls)) {
    const [foreign, unknown] = [await call(stranger, id), await call(stranger, 'wh_nope')]
    assert.deepEqual(foreign, unknown, name)
    assert.equal(code(foreign), 'not_found', name)
    const mayLook = ['read', 'deliveryLogs', 'wholeDeliveryLog'].includes(name)
    assert.equal(code(await call(auditor, id)), mayLook ? null : 'forbidden', name)
    assert.equal(code(await call(auditor, 'wh_nope')), mayLook ? 'not_found' : 'forbidden', name)
  }
  const application = {
    kind: 'application',
    tenantId: 'ten_1',
    applicationId: 'app_1',
    keyId: 'key_1',
  } as const
  assert.equal(code(await service.list(application, {})), 'forbidden')
  assert.equal(code(await service.create(auditor, { url, eventTypes: ['*'] })), 'forbidden')
  assert.deepEqual(store.rows(webhooks), before)
  assert.deepEqual(value(await service.list(stranger, {})).webhooks, [])
})

test('what was owed to a removed webhook ends without a POST', async () => {
  const { created, service, emit, pump, store, posts, runner } = fixture()
  const { id } = await created()
  await emit('review.case.created')
  value(await service.remove(admin, { webhookId: id }))
  assert.equal(code(await service.read(admin, { webhookId: id })), 'not_found')
  assert.deepEqual(store.rows(routings)[0]?.row.routes, [])
  await pump(obliging)
  assert.equal(posts.length, 0)
  await runner.tick()
  for (const { row } of store.rows(deliveries)) assert.equal(row.status, 'dead_lettered')
  await emit('review.case.created')
  assert.equal(store.rows(deliveries).length, 2)
})

test('a test sends the sample once and tells its log entry', async () => {
  const { created, service, pump, posts, clock, reviewEvents } = fixture()
  const { id } = await created({ secret: whsec, eventTypes: ['review.case.created'] })
  await pump(obliging)
  value(await service.turnOff(admin, { webhookId: id }))
  for (const status of [204, 500]) {
    const testing = service.test(admin, { webhookId: id })
    await clock.advance(0)
    assert.equal(await pump(() => answered(status)), 1)
    const entry = value(await testing)
    assert.deepEqual(
      [entry.eventType, entry.family, entry.trigger, entry.attempt, entry.responseStatus],
      ['alert.triggered', 'legacy', 'test', 1, status],
    )
    assert.equal(JSON.parse(entry.requestBody).id, entry.eventId)
    await clock.advance(day)
    assert.equal(await pump(obliging), 0)
  }
  const mac = portablePrimitives.hmacSha256(new TextEncoder().encode(whsec))
  const sent = posts.at(-1)
  assert.equal(
    sent?.headers['x-service-signature'],
    `sha256=${mac('', sent?.body ?? new Uint8Array(), 'hex')}`,
  )
  value(await service.turnOn(admin, { webhookId: id }))
  const events = value(
    await reviewEvents.list(admin, { subscriptionId: id, page: 1, pageSize: 20 }),
  )
  assert.equal(events.totalCount, 0)
})

test('a test that nobody sends is told so', async () => {
  const { created, service, clock } = fixture()
  const { id } = await created()
  const testing = service.test(admin, { webhookId: id })
  await clock.advance(20_000)
  const told = await testing
  assert.equal(code(told), 'unavailable')
  assert.deepEqual(told.ok || told.refusal.facts, { written: null })
})
