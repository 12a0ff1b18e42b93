import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type CustomerKeyType,
  customerKeys,
  customerKeyTypes,
  isCompoundKey,
  isCustomerSecret,
  newCustomerKey,
  tenants,
} from '@countersign/core/access'
import { get, one, put } from '@countersign/core/ledger'
import { seededRandom } from '@countersign/core/testing'
import fc from 'fast-check'
import { code, createFixture, start, system, value } from './fixture.ts'

const form = /^svc_cust_[a-z0-9-]{3,40}\.[0-9A-Za-z]{12}\.[0-9A-Za-z]{46}$/
const hour = 3_600_000

describe('the text of a customer key', () => {
  it('has the form of the interface for an organization of any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer(), (name, seed) => {
        const key = newCustomerKey(seededRandom(seed), name)
        assert.match(key.value, form)
        assert.equal(key.value, `${key.prefix}.${key.secret}`)
        assert.ok(isCompoundKey(key.value))
        assert.ok(isCustomerSecret(key.secret))
        assert.ok(!isCustomerSecret(key.value))
        assert.equal(key.hash, createHash('sha256').update(key.secret).digest('hex'))
      }),
    )
  })

  it('shows any one wrong character', () => {
    const { secret } = newCustomerKey(seededRandom(1), 'Acme')
    for (let at = 0; at < secret.length; at++) {
      const other = secret[at] === 'a' ? 'b' : 'a'
      assert.ok(!isCustomerSecret(secret.slice(0, at) + other + secret.slice(at + 1)))
    }
  })
})

async function issued(type: CustomerKeyType = 'primary ingest') {
  const fixture = await createFixture()
  const admin = await fixture.actorOf('ada@acme.example')
  const { applicationId } = value(await fixture.applications.create(admin, { name: 'A' }))
  const { tenantId } = fixture
  const key = value(await fixture.customerKeys.provision(system, { tenantId, applicationId, type }))
  const secret = key.value.split('.').at(-1) ?? ''
  return { ...fixture, adminActor: admin, applicationId, key, secret }
}

describe('a customer key', () => {
  for (const type of customerKeyTypes)
    it(`authenticates its application's backend: ${type}`, async () => {
      const { access, tenantId, applicationId, key, secret } = await issued(type)
      const { keyId } = key
      assert.deepEqual(value(await access.authenticateCustomerKey(secret)), {
        kind: 'customerKey',
        tenantId,
        applicationId,
        keyId,
        type,
        ratePerMinute: null,
      })
    })

  it('is issued by the system alone', async () => {
    const fixture = await issued()
    const { tenantId, applicationId } = fixture
    const input = { tenantId, applicationId, type: 'secondary' } as const
    assert.equal(code(await fixture.customerKeys.provision(fixture.adminActor, input)), 'forbidden')
  })

  it('is refused whole, with another component, misspelt and unknown', async () => {
    const { access, key, secret } = await issued()
    const { component, secret: other } = newCustomerKey(seededRandom(9), 'Acme')
    const own = key.prefix.split('.').at(-1) ?? ''
    assert.equal(code(await access.authenticateCustomerKey(secret, own)), 'ok')
    for (const refused of [
      await access.authenticateCustomerKey(key.value),
      await access.authenticateCustomerKey(secret, component),
      await access.authenticateCustomerKey(`${secret}x`),
      await access.authenticateCustomerKey(other),
    ])
      assert.equal(code(refused), 'authentication_required')
  })

  it('fails from the request after its revocation, and while the account is suspended', async () => {
    const { access, store, clock, tenantId, key, secret } = await issued()
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'ok')
    const read = async () =>
      await store.read(tenantId, [
        get(customerKeys, [tenantId, key.keyId]),
        get(tenants, [tenantId]),
      ])
    const [, foundTenant] = await read()
    const tenant = one(tenants, foundTenant)
    assert.ok(tenant)
    await store.commit({
      tenant: tenantId,
      puts: [put(tenants, { ...tenant.row, status: 'suspended' }, tenant)],
    })
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'account_suspended')
    const [foundKey] = await read()
    const row = one(customerKeys, foundKey)
    assert.ok(row)
    await store.commit({
      tenant: tenantId,
      puts: [put(customerKeys, { ...row.row, revokedAt: clock.now() }, row)],
    })
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'authentication_required')
  })

  it('notes the hour of its last use, once an hour', async () => {
    const { access, store, clock, tenantId, key, secret } = await issued()
    const lastUse = async () => {
      const [found] = await store.read(tenantId, [get(customerKeys, [tenantId, key.keyId])])
      const row = one(customerKeys, found)
      return [row?.row.lastUsedAt, row?.version]
    }
    await access.authenticateCustomerKey(secret)
    assert.deepEqual(await lastUse(), [start, 2])
    await clock.advance(hour - 1)
    await access.authenticateCustomerKey(secret)
    assert.deepEqual(await lastUse(), [start, 2])
    await clock.advance(2)
    await access.authenticateCustomerKey(secret)
    assert.deepEqual(await lastUse(), [start + hour, 3])
  })

  it('leaves no value in the store', async () => {
    const { store, tenantId, key, secret } = await issued()
    const [found] = await store.read(tenantId, [get(customerKeys, [tenantId, key.keyId])])
    const kept = JSON.stringify(found?.rows)
    assert.ok(kept.includes(key.prefix))
    assert.ok(!kept.includes(secret.slice(0, 40)))
  })
})
