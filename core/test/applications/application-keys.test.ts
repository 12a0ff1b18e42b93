import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { code, value } from '../organizations/access/fixture.ts'
import { move, withApplication } from './fixture.ts'

describe('application keys', () => {
  it('open the door until they are revoked, and are shown once', async () => {
    const fixture = await withApplication()
    const { adminActor, applicationKeys: keys, access, tenantId } = fixture
    const { applicationId } = fixture.application
    const created = value(await keys.create(adminActor, { applicationId, label: 'production' }))
    const { value: key, ...shown } = created
    assert.deepEqual(value(await access.authenticateApplication(key)), {
      kind: 'application',
      tenantId,
      applicationId,
      keyId: created.keyId,
    })
    const { applicationKeys: listed } = value(await keys.list(adminActor, { applicationId }))
    assert.deepEqual(listed, [shown])
    assert.equal(shown.prefix, key.slice(0, 12))
    assert.equal(shown.createdBy, fixture.admin.memberId)

    const revoked = value(await keys.revoke(adminActor, { applicationId, keyId: created.keyId }))
    assert.equal(revoked.status, 'Revoked')
    assert.equal(code(await access.authenticateApplication(key)), 'authentication_required')
    assert.deepEqual(
      value(await keys.revoke(adminActor, { applicationId, keyId: created.keyId })),
      revoked,
    )
    assert.deepEqual((await fixture.audited()).map(({ action }) => action).slice(-2), [
      'application_key.created',
      'application_key.revoked',
    ])
  })

  it('are nowhere in the store', async () => {
    const fixture = await withApplication()
    const { value: key } = value(
      await fixture.applicationKeys.create(fixture.adminActor, {
        applicationId: fixture.application.applicationId,
        label: 'production',
      }),
    )
    const dump = JSON.stringify([
      await fixture.store.read(null, [
        {
          list: 'applicationKeys',
          where: [],
          by: 'key',
          newest: false,
          skip: 0,
          take: 9,
          count: false,
        },
      ]),
      await fixture.audited(),
    ])
    assert.ok(!dump.includes(key.slice(12, 40)))
  })

  it('that are malformed are refused before the store is read', async () => {
    const fixture = await withApplication()
    const reads = fixture.counts.reads
    const { access } = fixture
    const { value: key } = value(
      await fixture.applicationKeys.create(fixture.adminActor, {
        applicationId: fixture.application.applicationId,
        label: 'x',
      }),
    )
    for (const wrong of ['', 'x', key.slice(0, -1), `${key.slice(0, -1)}!`, key.toUpperCase()])
      assert.equal(code(await access.authenticateApplication(wrong)), 'authentication_required')
    assert.equal(fixture.counts.reads, reads)
    assert.equal(code(await access.authenticateApplication(key)), 'ok')
    assert.equal(fixture.counts.reads, reads + 2)
  })

  it('are managed by an admin, and made for an active application', async () => {
    const fixture = await withApplication()
    const { reviewerActor, adminActor, applicationKeys: keys } = fixture
    const { applicationId } = fixture.application
    const input = { label: 'x' }
    assert.equal(code(await keys.create(reviewerActor, { applicationId, ...input })), 'forbidden')
    assert.equal(code(await keys.list(reviewerActor, { applicationId })), 'forbidden')
    assert.equal(code(await keys.revoke(reviewerActor, { applicationId, keyId: 'k' })), 'forbidden')
    assert.equal(
      code(await keys.create(adminActor, { applicationId, label: '' })),
      'invalid_request',
    )
    await move(fixture, applicationId, { lifecycleState: 'purging' })
    assert.equal(
      code(await keys.create(adminActor, { applicationId, ...input })),
      'application_gone',
    )
  })

  it('of a suspended organization are 503', async () => {
    const fixture = await withApplication()
    const { value: key } = value(
      await fixture.applicationKeys.create(fixture.adminActor, {
        applicationId: fixture.application.applicationId,
        label: 'x',
      }),
    )
    const [found] = await fixture.store.read(null, [{ get: 'tenants', key: [fixture.tenantId] }])
    const was = found?.rows[0]
    assert.ok(was)
    const row = { ...(was.row as object), status: 'suspended' }
    await fixture.store.commit({ tenant: null, puts: [{ in: 'tenants', row, was }] })
    assert.equal(code(await fixture.access.authenticateApplication(key)), 'account_suspended')
  })
})
