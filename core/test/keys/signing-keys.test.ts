import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { evidenceKeyRings } from '../../evidence/keys/records.ts'
import { code, createWorld, hour, start, value } from './requests/world.ts'

async function signed() {
  const world = await createWorld()
  const { service, ada } = world
  const url = 'https://hook.example/events'
  const signing = { method: 'ed25519' } as const
  value(await service.webhooks.create(ada, { url, eventTypes: ['*'], signing }))
  return { ...world, keys: service.signingKeys }
}

describe('signing keys', () => {
  it('are none before anything is signed', async () => {
    const { service, ada } = await createWorld()
    assert.deepEqual(value(await service.signingKeys.list(ada, {})), { signingKeys: [] })
    for (const use of ['webhooks', 'evidence'] as const)
      assert.equal(code(await service.signingKeys.rotate(ada, { use })), 'not_found')
  })

  it('of webhooks rotate within two days, and are told as the published set has them', async () => {
    const { keys, service, clock, ada, auditor, tenantId } = await signed()
    const [first] = value(await keys.list(auditor, {})).signingKeys
    assert.deepEqual(
      [first?.use, first?.keyVersion, first?.signsFrom, first?.previousSignsUntil],
      ['webhooks', 1, new Date(start).toISOString(), null],
    )
    assert.equal(code(await keys.rotate(auditor, { use: 'webhooks' })), 'forbidden')
    const second = value(await keys.rotate(ada, { use: 'webhooks' }))
    assert.deepEqual(
      [second.keyVersion, second.signsFrom, second.previousSignsUntil],
      [2, ...[24, 48].map((hours) => new Date(start + hours * hour).toISOString())],
    )
    assert.deepEqual(value(await keys.list(auditor, {})), { signingKeys: [second] })
    assert.equal(code(await keys.rotate(ada, { use: 'webhooks' })), 'already_rotating')
    const published = value(await service.webhookKeys.read({ tenantId })).keys
    assert.deepEqual(
      published.map(({ kid }) => kid),
      ['2', '1'],
    )
    clock.jump(48 * hour)
    const ended = { ...second, previousSignsUntil: null }
    assert.deepEqual(value(await keys.list(ada, {})), { signingKeys: [ended] })
    assert.equal(value(await keys.rotate(ada, { use: 'webhooks' })).keyVersion, 3)
  })

  it('of evidence rotate at once: the old seed goes, both stay published', async () => {
    const { keys, service, store, clock, ada, tenantId, audited } = await signed()
    const sealed = Uint8Array.of(1)
    const publicKey = new Uint8Array(32).fill(7)
    const was = { keyId: 'first', sealed, publicKey, createdAt: start }
    await store.commit({
      tenant: tenantId,
      puts: [{ in: evidenceKeyRings.name, row: { tenantId, keys: [was] }, was: null }],
    })
    clock.jump(hour)
    const rotated = value(await keys.rotate(ada, { use: 'evidence' }))
    assert.deepEqual(
      [rotated.use, rotated.keyVersion, rotated.signsFrom, rotated.previousSignsUntil],
      ['evidence', 2, new Date(start + hour).toISOString(), null],
    )
    const [ring] = store.rows(evidenceKeyRings)
    assert.deepEqual(
      ring?.row.keys.map((key) => key.sealed !== null),
      [false, true],
    )
    const published = value(await service.evidenceKeys.read({ tenantId })).keys
    assert.deepEqual([published[0]?.x, published[1]?.kid], [rotated.publicKey, 'first'])
    assert.equal(value(await keys.list(ada, {})).signingKeys.at(-1)?.publicKey, rotated.publicKey)
    assert.equal(audited().at(-1)?.action, 'evidence_key.rotated')
    const wrong = await keys.rotate(ada, { use: 'sessions' as 'evidence' })
    assert.equal(code(wrong), 'invalid_request')
  })
})
