import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newOrganization } from '@countersign/core/testing'
import { tenantKeys } from '../../../content/vault/records.ts'
import { tenants } from '../../../organizations/access/records.ts'
import { createTenantEnd, rowsOfTenants } from '../../../removal/lifecycle/end-tenant.ts'
import { day, hour, memoryPorts, processOn, start, value } from '../erasure/world.ts'
import { all } from './world.ts'

/** An organization without data that is deleted, and its admin, who was let in before. */
async function deleted() {
  const ports = memoryPorts()
  const { service, deps, runnerOf } = processOn(ports)
  const { tenantId, admin: actor } = await newOrganization(service)
  value(
    await service.tenants.requestDeletion(
      { kind: 'staff', name: 'ops' },
      {
        tenantId,
        ticket: '4712',
        identity: { method: 'video call', verifiedBy: 'security', verifiedAt: start },
        authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada', signedAt: start },
      },
    ),
  )
  ports.clock.jump(7 * day)
  const ender = runnerOf([createTenantEnd(deps, rowsOfTenants(all))])
  for (let looks = 0; looks < 5; looks++) {
    await ender.tick()
    ports.clock.jump(hour)
  }
  assert.ok(ports.store.rows(tenants)[0]?.row.deletedAt)
  return { ...ports, service, actor }
}

describe('a member who was let in before their organization ended', () => {
  it('makes no key of it', async () => {
    const { service, store, actor } = await deleted()
    const { erasureRequests, legalHolds, subjects, sessions, evidencePackages } = service
    const dataSubjectId = 'grace'
    const page = { page: 1, pageSize: 20 } as const
    const refused = [
      await legalHolds.place(actor, { dataSubjectId, matter: 'Case 12' }),
      await subjects.lookup(actor, { dataSubjectId }),
      await erasureRequests.create(actor, { dataSubjectId, reason: 'other', confirm: true }),
      await evidencePackages.exportSubject(actor, { dataSubjectId }),
    ]
    assert.deepEqual(
      refused.map((each) => each.ok),
      [false, false, false, false],
    )
    const pseudonym = `sub_${'0'.repeat(26)}`
    const listed = value(await sessions.list(actor, { dataSubjectId: pseudonym, ...page }))
    assert.equal(listed.totalCount, 0)
    assert.deepEqual(store.rows(tenantKeys), [])
  })
})
