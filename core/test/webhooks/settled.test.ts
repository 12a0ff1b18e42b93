import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, day, fixture, value } from './fixture.ts'

const url = 'https://a.example/hook'
const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const eventTypes = ['review.case.decided']

test('signing.secret alone selects v1, secret at the top leaves the method, and two that differ are refused', async () => {
  const { service } = fixture()
  const create = (secrets: object) =>
    service.create(admin, {
      url,
      eventTypes,
      signing: { method: 'shared_secret' },
      ...secrets,
    })
  const inside = { signing: { method: 'shared_secret', secret: whsec } }
  for (const secrets of [inside, { secret: whsec }, { ...inside, secret: whsec }])
    assert.equal(value(await create(secrets)).signing.secret, whsec)
  const both = await create({ ...inside, secret: 'another' })
  assert.ok(!both.ok)
  const { code, errors } = both.refusal
  assert.deepEqual([code, errors?.[0]?.pointer], ['invalid_request', '/secret'])

  const { id } = value(await create({}))
  const changed = value(await service.update(admin, { webhookId: id, signing: { secret: whsec } }))
  assert.deepEqual([changed.signing.method, changed.signing.secret], ['shared_secret', whsec])
  const alone = value(await service.create(admin, { url, eventTypes, signing: { secret: whsec } }))
  assert.deepEqual([alone.signing.method, alone.signing.secret], ['shared_secret', whsec])
  const plain = value(await service.create(admin, { url, eventTypes, secret: 'x' }))
  assert.deepEqual([plain.signing.method, plain.signing.hasSecret], ['ed25519', true])
  const without = value(
    await service.update(admin, { webhookId: plain.id, signing: { secret: null } }),
  )
  assert.equal(without.signing.hasSecret, false)
})

test('a webhook shows the coming key from its publication until it signs', async () => {
  const { service, clock, rotateKeys } = fixture()
  const { id } = value(await service.create(admin, { url, eventTypes }))
  const { id: shared } = value(
    await service.create(admin, { url, eventTypes, signing: { method: 'shared_secret' } }),
  )
  const next = async (webhookId: string) => {
    const { signing } = value(await service.read(admin, { webhookId }))
    return [signing.nextPublicKey, signing.nextSignsFrom]
  }
  assert.deepEqual(await next(id), [null, null])
  const rotation = value(await rotateKeys(admin))
  const signsFrom = new Date(clock.now() + day).toISOString()
  assert.deepEqual(await next(id), [rotation.publicKey, signsFrom])
  assert.deepEqual(await next(shared), [null, null])
  await clock.advance(day - 1)
  assert.deepEqual(await next(id), [rotation.publicKey, signsFrom])
  await clock.advance(1)
  assert.deepEqual(await next(id), [null, null])
  const { signing } = value(await service.read(admin, { webhookId: id }))
  assert.deepEqual([signing.publicKey, signing.keyVersion], [rotation.publicKey, 2])
})
