import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  activeCustomerKeysPerApplication,
  revokedKeysPerApplication,
} from '../../kernel/ledger/limits.ts'
import { type CustomerKeyView, customerKeys } from '../../organizations/api-keys/key-records.ts'
import { code, start, system, value } from '../organizations/access/fixture.ts'
import { move, withApplication } from './fixture.ts'

const day = 86_400_000
const secretOf = (compound: string) => compound.split('.').at(-1) ?? ''

async function withKey() {
  const world = await withApplication()
  const { applicationId } = world.application
  const issue = () => world.customerKeys.issue(world.adminActor, { applicationId })
  const key = value(await issue())
  const listed = async () => {
    const all: CustomerKeyView[] = []
    const pieces = value(await world.customerKeys.all(world.reviewerActor))
    for await (const piece of pieces) all.push(...piece)
    return all
  }
  return { ...world, applicationId, issue, key, secret: secretOf(key.value), listed }
}

describe('a customer key', () => {
  it('is issued by an admin for an active application, listed to members, and audited without its value', async () => {
    const world = await withKey()
    const {
      key,
      customerKeys: keys,
      adminActor,
      reviewerActor,
      applicationId,
      access,
      tenantId,
    } = world
    assert.deepEqual([key.type, key.status], ['secondary', 'Active'])
    const { value: compound, ...shown } = key
    assert.deepEqual(await world.listed(), [shown])
    assert.ok(compound.startsWith('svc_cust_acme.'))
    const actor = value(await access.authenticateCustomerKey(world.secret))
    assert.deepEqual(
      [actor.tenantId, actor.applicationId, actor.keyId, actor.type],
      [tenantId, applicationId, key.keyId, 'secondary'],
    )
    for (const id of ['app_unknown', ''])
      assert.notEqual(code(await keys.issue(adminActor, { applicationId: id })), 'ok')
    assert.equal(code(await keys.issue(reviewerActor, { applicationId })), 'forbidden')
    const audited = (await world.audited()).at(-1)
    assert.deepEqual(
      [audited?.action, audited?.subject, audited?.detail],
      ['customer_key.issued', key.keyId, { applicationId, type: 'secondary', prefix: key.prefix }],
    )
  })

  it('is not issued once the deletion of its application began', async () => {
    const world = await withKey()
    await move(world, world.applicationId, { lifecycleState: 'pending_deletion' })
    assert.equal(code(await world.issue()), 'application_gone')
  })

  it('is revoked at once and for good by an admin of its own organization', async () => {
    const {
      customerKeys: keys,
      key,
      adminActor,
      reviewerActor,
      access,
      secret,
      clock,
      audited,
    } = await withKey()
    value(await access.authenticateCustomerKey(secret))
    assert.equal(code(await keys.revoke(reviewerActor, { keyId: key.keyId })), 'forbidden')
    assert.equal(code(await keys.revoke(adminActor, { keyId: 'key_other' })), 'not_found')
    await clock.advance(1_000)
    const revoked = value(await keys.revoke(adminActor, { keyId: key.keyId }))
    assert.deepEqual(
      [revoked.status, revoked.revokedAt, revoked.rotationDueAt, revoked.unused30d],
      ['Revoked', new Date(start + 1_000).toISOString(), null, false],
    )
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'authentication_required')
    await clock.advance(1_000)
    const entries = (await audited()).length
    assert.deepEqual(value(await keys.revoke(adminActor, { keyId: key.keyId })), revoked)
    assert.equal((await audited()).length, entries)
  })

  it('tells when it should be replaced, and that nobody uses it', async () => {
    const { access, secret, clock, listed } = await withKey()
    const [fresh] = await listed()
    assert.equal(fresh?.rotationDueAt, new Date(start + 90 * day).toISOString())
    await clock.advance(30 * day - 1)
    assert.equal((await listed())[0]?.unused30d, false)
    await clock.advance(1)
    assert.equal((await listed())[0]?.unused30d, true)
    value(await access.authenticateCustomerKey(secret))
    await clock.advance(0)
    const [used] = await listed()
    assert.deepEqual(
      [used?.lastUsedAt, used?.unused30d],
      [new Date(start + 30 * day).toISOString(), false],
    )
  })

  it('has its last use noted once an hour, however many requests come at once', async () => {
    const { access, secret, store, clock, tenantId, key } = await withKey()
    const versionOf = () =>
      store.rows(customerKeys).find(({ row }) => row.keyId === key.keyId)?.version
    const before = versionOf() ?? 0
    let commits = 0
    const commit = store.commit.bind(store)
    store.commit = (set) => {
      commits++
      return commit(set)
    }
    for (let hour = 1; hour <= 3; hour++) {
      await Promise.all(
        Array.from({ length: 20 }, async () => access.authenticateCustomerKey(secret)),
      )
      await clock.advance(0)
      assert.deepEqual([commits, versionOf()], [hour, before + hour], tenantId)
      await clock.advance(3_600_000)
    }
  })

  it('lets a request through whose use could not be noted', async () => {
    const { access, secret, store, clock, listed } = await withKey()
    const commit = store.commit.bind(store)
    store.commit = () => Promise.reject(new Error('the disk is full'))
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'ok')
    await clock.advance(0)
    store.commit = commit
    assert.equal((await listed())[0]?.lastUsedAt, null)
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'ok')
    await clock.advance(0)
    assert.equal((await listed())[0]?.lastUsedAt, new Date(start).toISOString())
  })
})

describe('customer keys of an application', () => {
  it('are ten at most, however many are issued at once, and whoever issues them', async () => {
    const {
      issue,
      customerKeys: keys,
      adminActor,
      store,
      tenantId,
      applicationId,
      key,
    } = await withKey()
    const bySystem = () =>
      keys.provision(system, { tenantId, applicationId, type: 'primary ingest' })
    const made = await Promise.all(
      Array.from({ length: 15 }, async (_, at) => code(await (at % 2 ? issue() : bySystem()))),
    )
    assert.equal(
      made.filter((refusal) => refusal === 'ok').length,
      activeCustomerKeysPerApplication - 1,
    )
    assert.deepEqual(new Set(made), new Set(['ok', 'too_many_keys']))
    assert.equal(store.rows(customerKeys).length, activeCustomerKeysPerApplication)
    value(await keys.revoke(adminActor, { keyId: key.keyId }))
    value(await issue())
    assert.equal(code(await issue()), 'too_many_keys')
  })

  it('keep the last revoked ones in the list', async () => {
    const { issue, customerKeys: keys, adminActor, clock, key, listed } = await withKey()
    value(await keys.revoke(adminActor, { keyId: key.keyId }))
    const revoked = [key.keyId]
    for (let round = 0; round < revokedKeysPerApplication + 2; round++) {
      await clock.advance(1_000)
      const { keyId } = value(await issue())
      value(await keys.revoke(adminActor, { keyId }))
      revoked.push(keyId)
    }
    const last = value(await issue())
    assert.deepEqual(
      (await listed()).map(({ keyId }) => keyId),
      [...revoked.slice(-revokedKeysPerApplication), last.keyId],
    )
  })
})

describe('the rate of a customer key', () => {
  const staff = { kind: 'staff', name: 'ops' } as const

  it('is set by staff for any organization’s key, holds from its next request on, and is audited', async () => {
    const { customerKeys: keys, key, secret, access, audited, tenantId } = await withKey()
    const rateOf = async () => value(await access.authenticateCustomerKey(secret)).ratePerMinute
    assert.equal(await rateOf(), null)
    const set = value(await keys.setRate(staff, { keyId: key.keyId, ratePerMinute: 1_200 }))
    assert.deepEqual([set.tenantId, set.ratePerMinute, set.keyId], [tenantId, 1_200, key.keyId])
    assert.equal(await rateOf(), 1_200)
    const entries = await audited()
    assert.deepEqual(
      [entries.at(-1)?.actor, entries.at(-1)?.action, entries.at(-1)?.detail],
      ['staff:ops', 'customer_key.rate_set', { ratePerMinute: 1_200 }],
    )
    value(await keys.setRate(staff, { keyId: key.keyId, ratePerMinute: 1_200 }))
    assert.equal((await audited()).length, entries.length)
    value(await keys.setRate(staff, { keyId: key.keyId }))
    assert.equal(await rateOf(), null)
  })

  it('is refused to members, for unknown keys, and outside 1 to 1,000,000', async () => {
    const { customerKeys: keys, key, adminActor } = await withKey()
    const set = keys.setRate
    assert.equal(code(await set(adminActor, { keyId: key.keyId, ratePerMinute: 5 })), 'forbidden')
    assert.equal(code(await set(staff, { keyId: 'key_0', ratePerMinute: 5 })), 'not_found')
    for (const ratePerMinute of [0, 1_000_001, 1.5, Number.NaN])
      assert.equal(code(await set(staff, { keyId: key.keyId, ratePerMinute })), 'invalid_request')
  })
})
