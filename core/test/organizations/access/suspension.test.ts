import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditLog } from '@countersign/core/ledger'
import fc from 'fast-check'
import { put } from '../../../kernel/ledger/reads.ts'
import { type Tenant, tenants } from '../../../organizations/access/records.ts'
import { code, createFixture, start, system, value } from './fixture.ts'

const staff = { kind: 'staff', name: 'ops' } as const

const auditOf = ({ store }: Awaited<ReturnType<typeof createFixture>>) =>
  [...store.entries(auditLog).values()]
    .flat()
    .map(({ entry }) => JSON.parse(new TextDecoder().decode(entry)))

describe('the suspension of an organization', () => {
  it('is told with who, when and why, and audited without the reason', async () => {
    const world = await createFixture()
    const { service, clock, tenantId } = world
    await clock.advance(60_000)
    const before = auditOf(world).length
    const suspended = value(
      await service.tenants.suspend(staff, { tenantId, reason: ' unpaid, asked Ada ' }),
    )
    const at = new Date(start + 60_000).toISOString()
    assert.deepEqual(
      [suspended.status, suspended.statusReason, suspended.statusChangedBy],
      ['suspended', 'unpaid, asked Ada', 'staff:ops'],
    )
    assert.equal(suspended.statusChangedAt, at)
    const [entry, ...more] = auditOf(world).slice(before)
    assert.deepEqual(more, [])
    assert.deepEqual(entry, {
      at,
      actor: 'staff:ops',
      action: 'tenant.suspended',
      subject: tenantId,
      detail: {},
    })
  })

  it('changes nothing when it is there already, and so does its end', async () => {
    const world = await createFixture()
    const { service, clock, tenantId } = world
    const reason = 'first'
    for (const [change, other] of [
      [service.tenants.suspend, service.tenants.resume],
      [service.tenants.resume, service.tenants.suspend],
    ] as const) {
      const first = value(await change(staff, { tenantId, reason }))
      const entries = auditOf(world).length
      await clock.advance(1_000)
      const again = value(await change({ ...staff, name: 'x' }, { tenantId, reason: 'again' }))
      assert.deepEqual(again, first)
      assert.equal(auditOf(world).length, entries)
      value(await other(staff, { tenantId, reason }))
    }
  })

  it('is in force for the next call of an open session, and its end too', async () => {
    const { service, access, login, tenantId } = await createFixture()
    const { token } = value(await login('ada@acme.example'))
    value(await service.tenants.suspend(system, { tenantId, reason: 'x' }))
    const refused = await access.authenticateMember(token)
    assert.ok(!refused.ok)
    assert.deepEqual(
      [refused.refusal.code, refused.refusal.retryAfter],
      ['account_suspended', 3600],
    )
    assert.equal(code(await login('ada@acme.example')), 'account_suspended')
    value(await service.tenants.resume(system, { tenantId, reason: 'x' }))
    assert.equal(code(await access.authenticateMember(token)), 'ok')
  })

  it('is for staff alone, who are told what is wrong only then', async () => {
    const { service, admin, tenantId } = await createFixture()
    const wrong = [
      ['', 'invalid_request'],
      ['  ', 'invalid_request'],
      ['x'.repeat(1001), 'invalid_request'],
    ] as const
    for (const [reason, expected] of wrong) {
      assert.equal(code(await service.tenants.suspend(staff, { tenantId, reason })), expected)
      const by = { ...admin, kind: 'member', tenantId, permissions: [] } as const
      assert.equal(code(await service.tenants.suspend(by, { tenantId, reason })), 'forbidden')
    }
    assert.equal(
      code(await service.tenants.resume(staff, { tenantId: 'ten_0', reason: 'x' })),
      'not_found',
    )
  })

  it('is refused, as its end is, for an organization that is deleted', async () => {
    const { service, store, tenantId } = await createFixture()
    const [was] = store.rows(tenants)
    assert.ok(was)
    const tombstone: Tenant = { ...was.row, name: '', status: 'suspended', deletedAt: start }
    await store.commit({ tenant: null, puts: [put(tenants, tombstone, was)] })
    for (const change of [service.tenants.suspend, service.tenants.resume])
      assert.equal(code(await change(staff, { tenantId, reason: 'x' })), 'not_found')
    assert.deepEqual(store.rows(tenants)[0]?.row, tombstone)
  })

  it('ends as one of two at once says, with one entry for each change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = await createFixture()
        const { service, tenantId } = world
        const before = auditOf(world).length
        const change = async (act: typeof service.tenants.suspend, by: string) => {
          await scheduler.schedule(Promise.resolve())
          return value(await act({ ...staff, name: by }, { tenantId, reason: by }))
        }
        const changes = Promise.all([
          change(service.tenants.suspend, 'a'),
          change(service.tenants.suspend, 'b'),
          change(service.tenants.resume, 'c'),
        ])
        await scheduler.waitAll()
        await changes
        const actions = auditOf(world)
          .slice(before)
          .map(({ action }) => action)
        // An organization that is active is not resumed, and of two suspensions in a row only one is one.
        for (const [at, action] of actions.entries()) assert.notEqual(action, actions[at - 1])
        assert.equal(actions[0], 'tenant.suspended')
      }),
      { numRuns: 50 },
    )
  })
})
