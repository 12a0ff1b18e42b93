import assert from 'node:assert/strict'
import { createHmac, createPublicKey, verify as verifyEd25519 } from 'node:crypto'
import { test } from 'node:test'
import { Webhook as Reference } from 'standardwebhooks'
import { issuerKeyRings } from '../../keys/records.ts'
import { webhooks } from '../../webhooks/records.ts'
import { openSecret } from '../../webhooks/secrets/secrets.ts'
import {
  admin,
  auditor,
  code,
  day,
  type Fixture,
  fixture,
  hour,
  obliging,
  start,
  stranger,
  value,
} from './fixture.ts'
import type { Post } from './stepper.ts'

const first = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const second = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const third = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

function v1(secret: string, post: Post): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = post.headers
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(post.body).digest('base64')}`
}
function older(secret: string, post: Post): string {
  return `sha256=${createHmac('sha256', secret).update(post.body).digest('hex')}`
}
const signatures = (post: Post) => post.headers['webhook-signature']?.split(' ') ?? []

async function sent(
  world: Fixture,
  type: 'review.case.created' | 'session.flagged',
): Promise<Post> {
  const { id } = await world.emit(type)
  await world.pump(obliging)
  const post = world.posts.find(({ messageId }) => messageId === id)
  assert.ok(post)
  return post
}

test('Ed25519 is what signs by default: v1a under the tenant key that is published', async () => {
  const world = fixture()
  const webhook = await world.created()
  const post = await sent(world, 'review.case.created')
  assert.equal(post.headers['content-type'], 'application/json')
  assert.equal(post.headers['webhook-key-version'], '1')
  assert.equal(post.headers['webhook-timestamp'], String(start / 1_000))
  assert.equal(post.headers['webhook-id'], post.event.id)
  const [signature, ...more] = signatures(post)
  assert.equal(more.length, 0)
  assert.match(signature ?? '', /^v1a,/)
  const [jwk] = await world.published()
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  const content = Buffer.concat([Buffer.from(`${post.messageId}.${start / 1_000}.`), post.body])
  const raw = Buffer.from(signature?.slice(4) ?? '', 'base64')
  assert.ok(verifyEd25519(null, content, key, raw))
  const whpk = `whpk_${Buffer.from(jwk?.x ?? '', 'base64url').toString('base64')}`
  assert.equal(webhook.signing.publicKey, whpk)
})

test('a shared secret signs v1, as the reference library verifies', async () => {
  const world = fixture()
  await world.created({ signing: { method: 'shared_secret' }, secret: first })
  const post = await sent(world, 'review.case.created')
  assert.deepEqual(signatures(post), [v1(first, post)])
  // The reference reads the clock itself, so only its signature is asked for.
  const reference = new Reference(first).sign(
    post.messageId,
    new Date(start),
    Buffer.from(post.body).toString(),
  )
  assert.equal(reference, signatures(post)[0])
})

test('the legacy family is signed by the secret as it was given, and not at all without one', async () => {
  for (const secret of ['any words', first, 'größer', null]) {
    const world = fixture()
    await world.created({ secret })
    const post = await sent(world, 'session.flagged')
    assert.equal(post.headers['x-service-signature'], secret ? older(secret, post) : undefined)
    assert.equal(post.headers['webhook-signature'], undefined)
    assert.equal(post.headers['content-type'], 'application/json')
  }
})

test('for exactly 24 h both secrets sign; the legacy header stays with the previous one', async () => {
  const world = fixture()
  const { service, clock, pump, posts } = world
  const { id } = await world.created({ signing: { method: 'shared_secret' }, secret: first })
  await pump(obliging)
  await clock.advance(hour)
  const rotated = value(await service.rotateSecret(admin, { webhookId: id, secret: second }))
  assert.equal(rotated.signing.secret, second)
  assert.equal(rotated.signing.keyVersion, 2)
  await pump(obliging)
  const notice = posts.at(-1)
  assert.equal(notice?.type, 'subscription.signing_key_rotating')
  const until = new Date(start + hour + day).toISOString()
  assert.equal(notice?.event.previousSecretValidUntil, until)
  assert.equal(rotated.signing.previousSecretValidUntil, until)

  for (const wait of [0, day - 1]) {
    await clock.advance(wait)
    const post = await sent(world, 'review.case.created')
    assert.deepEqual(signatures(post), [v1(second, post), v1(first, post)])
    assert.equal(post.headers['webhook-key-version'], '2')
    const flagged = await sent(world, 'session.flagged')
    assert.equal(flagged.headers['x-service-signature'], older(first, flagged))
    assert.equal(flagged.headers['x-service-signature-next'], older(second, flagged))
  }
  await clock.advance(1)
  const post = await sent(world, 'review.case.created')
  assert.deepEqual(signatures(post), [v1(second, post)])
  const flagged = await sent(world, 'session.flagged')
  assert.equal(flagged.headers['x-service-signature'], older(second, flagged))
  assert.equal(flagged.headers['x-service-signature-next'], undefined)
  assert.equal(
    value(await service.read(admin, { webhookId: id })).signing.previousSecretValidUntil,
    null,
  )
})

test('the text that signed the legacy family alone goes on there, and does not hinder the new method', async () => {
  const world = fixture()
  const { id } = await world.created({ secret: 'any words' })
  const changed = { signing: { method: 'shared_secret' }, secret: first } as const
  value(await world.service.update(admin, { webhookId: id, ...changed }))
  const post = await sent(world, 'review.case.created')
  assert.deepEqual(signatures(post), [v1(first, post)])
  const flagged = await sent(world, 'session.flagged')
  assert.equal(flagged.headers['x-service-signature'], older('any words', flagged))
  assert.equal(flagged.headers['x-service-signature-next'], older(first, flagged))
})

test('the previous secret is wiped when it has ended, by work or by the next write', async () => {
  for (const how of ['work', 'write'] as const) {
    const world = fixture()
    const { service, clock, runner, webhookOf } = world
    const { id } = await world.created({ signing: { method: 'shared_secret' }, secret: first })
    await service.rotateSecret(admin, { webhookId: id })
    await clock.advance(day - 1)
    await runner.tick()
    assert.notEqual(webhookOf(id).previousSecret, null)
    await clock.advance(1)
    if (how === 'work') await runner.tick()
    else await service.update(admin, { webhookId: id, description: 'x' })
    assert.equal(webhookOf(id).previousSecret, null)
    await runner.tick()
  }
})

test('a second rotation within 24 h must be forced, and drops the oldest', async () => {
  const world = fixture()
  const { service, clock, runner, webhookOf } = world
  const { id } = await world.created({ signing: { method: 'shared_secret' }, secret: first })
  value(await service.rotateSecret(admin, { webhookId: id, secret: second }))
  await clock.advance(hour)
  assert.equal(code(await service.rotateSecret(admin, { webhookId: id })), 'already_rotating')
  assert.equal(
    code(await service.update(admin, { webhookId: id, secret: third })),
    'already_rotating',
  )
  value(await service.rotateSecret(admin, { webhookId: id, secret: third, force: true }))
  const post = await sent(world, 'review.case.created')
  assert.deepEqual(signatures(post), [v1(third, post), v1(second, post)])
  // The wipe that the first rotation asked for must not take the second one's previous secret.
  await clock.advance(day - hour)
  await runner.tick()
  assert.notEqual(webhookOf(id).previousSecret, null)
  await clock.advance(hour)
  await runner.tick()
  assert.equal(webhookOf(id).previousSecret, null)
})

test('what has no secret can not rotate one; the current one is no news', async () => {
  const { service, created } = fixture()
  const bare = await created()
  assert.equal(code(await service.rotateSecret(admin, { webhookId: bare.id })), 'not_shared_secret')
  const shared = await created({ signing: { method: 'shared_secret' }, secret: first })
  const same = await service.rotateSecret(admin, { webhookId: shared.id, secret: first })
  assert.equal(code(same), 'invalid_transition')
  const words = await service.rotateSecret(admin, { webhookId: shared.id, secret: 'words' })
  assert.equal(code(words), 'invalid_transition')
})

test('secrets lie sealed, each for its own webhook and version', async () => {
  const { created, store, sealer, service, webhookOf } = fixture()
  const one = await created({ signing: { method: 'shared_secret' }, secret: first })
  const two = await created({ signing: { method: 'shared_secret' }, secret: second })
  const dump = JSON.stringify(
    store.rows(webhooks).map(({ row }) => [...(row.secret?.sealed ?? [])]),
  )
  const bytes = JSON.stringify([...Buffer.from(first)]).slice(1, -1)
  assert.ok(!dump.includes(bytes))
  const foreign = webhookOf(one.id).secret
  assert.ok(foreign)
  assert.throws(() => openSecret(sealer, webhookOf(two.id), foreign), /does not open/)
  await service.rotateSecret(admin, { webhookId: one.id })
  const current = webhookOf(one.id).secret
  assert.ok(current)
  assert.throws(() => openSecret(sealer, webhookOf(one.id), { ...foreign, version: 2 }))
  assert.doesNotThrow(() => openSecret(sealer, webhookOf(one.id), current))
})

test("a tenant's key rotation reaches deliveries by the clock alone", async () => {
  const world = fixture()
  const { clock, service, rotateKeys, published, runner, store } = world
  const { id } = await world.created()
  const versions = async () => {
    const post = await sent(world, 'review.case.created')
    return [post.headers['webhook-key-version'], signatures(post).length]
  }
  assert.deepEqual(await versions(), ['1', 1])
  const rotation = value(await rotateKeys(admin))
  assert.deepEqual(
    [rotation.keyVersion, rotation.signsFrom, rotation.previousSignsUntil],
    [2, new Date(start + day).toISOString(), new Date(start + 2 * day).toISOString()],
  )
  assert.equal(code(await rotateKeys(admin)), 'already_rotating')
  assert.equal(code(await rotateKeys(auditor)), 'forbidden')
  assert.equal(code(await rotateKeys(stranger)), 'not_found')
  assert.equal(world.audits().at(-1)?.action, 'issuer_key.rotation_started')
  assert.equal((await published()).length, 2)
  await clock.advance(day - 1)
  assert.deepEqual(await versions(), ['1', 1])
  await clock.advance(1)
  assert.deepEqual(await versions(), ['2', 2])
  assert.equal(value(await service.read(admin, { webhookId: id })).signing.keyVersion, 2)
  await clock.advance(day)
  assert.deepEqual(await versions(), ['2', 1])
  await runner.tick()
  const seeds = () => store.rows(issuerKeyRings)[0]?.row.keys.map(({ sealed }) => sealed !== null)
  assert.deepEqual(seeds(), [false, true])
  assert.equal((await published()).length, 2)
  await clock.advance(day)
  await runner.tick()
  assert.deepEqual(seeds(), [true])
  assert.equal((await published()).length, 1)
  value(await rotateKeys(admin))
})
