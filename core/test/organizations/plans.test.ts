import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type PlanName, planOf, tenants } from '@countersign/core/access'
import { code, system, value } from './access/fixture.ts'
import { createFixture } from './fixture.ts'

const day = 86_400_000

describe('entitlements', () => {
  it('tell plan, quota, features, and what is close to a duty', async () => {
    const { service, store, tenantId, rob } = await createFixture()
    const counter = `sessions ${tenantId} 2026-01`
    await store.commit({ tenant: null, adds: [{ counter, delta: 7 }] })
    const told = value(await service.entitlements.read(rob, {}))
    const { features, notes, ...rest } = told
    assert.deepEqual(rest, {
      plan: 'Builder',
      retentionDays: 7,
      sessionsPerMonth: 500,
      sessionsUsed: 7,
      periodStart: '2026-01-01T00:00:00.000Z',
      periodEnd: '2026-02-01T00:00:00.000Z',
    })
    assert.deepEqual(
      [features.sessionEvidence, features.bulkExport, features.customRetention],
      [true, false, false],
    )
    assert.match(notes.join(), /less than six months/)
    const team = value(await service.tenants.setPlan(system, { tenantId, plan: 'Team' }))
    assert.deepEqual([team.retentionDays, team.sessionsPerMonth], [90, 25_000])
    const more = value(await service.tenants.setPlan(system, { tenantId, plan: 'Enterprise' }))
    assert.deepEqual([more.retentionDays, more.sessionsPerMonth, more.notes], [365, null, []])
  })

  it('are what gates ask', async () => {
    const { access, service, tenantId, ada } = await createFixture()
    assert.equal(code(await access.checkFeature(ada, 'bulkExport')), 'plan_required')
    assert.equal(code(await access.checkFeature(ada, 'sessionEvidence')), 'ok')
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Team' }))
    assert.equal(code(await access.checkFeature(ada, 'bulkExport')), 'ok')
    assert.equal(code(await access.checkFeature(ada, 'customRetention')), 'plan_required')
  })
})

describe('a plan', () => {
  it('is set by the system alone, and with a retention that it can have', async () => {
    const { service, tenantId, ada } = await createFixture()
    const set = (input: { readonly plan: PlanName; readonly retentionDays?: number | null }) =>
      service.tenants.setPlan(system, { tenantId, ...input })
    assert.equal(code(await service.tenants.setPlan(ada, { tenantId, plan: 'Team' })), 'forbidden')
    assert.equal(code(await set({ plan: 'Team', retentionDays: 365 })), 'invalid_request')
    assert.equal(code(await set({ plan: 'Enterprise', retentionDays: 364 })), 'invalid_request')
    assert.equal(code(await set({ plan: 'Enterprise', retentionDays: 3651 })), 'invalid_request')
    assert.equal(code(await set({ plan: 'toString' as 'Team' })), 'invalid_request')
    assert.equal(value(await set({ plan: 'Enterprise', retentionDays: 3650 })).retentionDays, 3650)
    const none = await service.tenants.setPlan(system, { tenantId: 'ten_none', plan: 'Team' })
    assert.equal(code(none), 'not_found')
  })

  it('that is smaller takes features and quota at once, and shortens retention after 7 days', async () => {
    const { service, plans, clock, tenantId, store, ada } = await createFixture()
    value(
      await service.tenants.setPlan(system, { tenantId, plan: 'Enterprise', retentionDays: 730 }),
    )
    const less = value(await service.tenants.setPlan(system, { tenantId, plan: 'Team' }))
    assert.deepEqual(
      [less.plan, less.sessionsPerMonth, less.features.customRetention, less.retentionDays],
      ['Team', 25_000, false, 730],
    )
    assert.match(less.notes.join(' '), /From 2026-01-08T00:00:00.000Z on sessions are kept for 90/)
    clock.jump(7 * day - 1)
    assert.equal(await plans.tick(), 0)
    assert.equal(planOf(store.rows(tenants)[0]?.row).retentionDays, 730)
    clock.jump(1)
    await plans.tick()
    const { retentionDays, notes } = value(await service.entitlements.read(ada, {}))
    assert.equal(retentionDays, 90)
    assert.equal(notes.length, 1)
  })

  it('that grows again before that keeps what there is', async () => {
    const { service, plans, clock, tenantId, ada } = await createFixture()
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Enterprise' }))
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Builder' }))
    clock.jump(6 * day)
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Enterprise' }))
    clock.jump(2 * day)
    await plans.tick()
    assert.equal(value(await service.entitlements.read(ada, {})).retentionDays, 365)
  })

  it('that shrinks twice waits for 7 days from the second time', async () => {
    const { service, plans, clock, tenantId, ada } = await createFixture()
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Enterprise' }))
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Team' }))
    clock.jump(6 * day)
    value(await service.tenants.setPlan(system, { tenantId, plan: 'Builder' }))
    clock.jump(2 * day)
    await plans.tick()
    assert.equal(value(await service.entitlements.read(ada, {})).retentionDays, 365)
    clock.jump(5 * day)
    await plans.tick()
    assert.equal(value(await service.entitlements.read(ada, {})).retentionDays, 7)
  })

  it('that is set again without days keeps the retention that it has, or will have', async () => {
    const { service, plans, clock, tenantId } = await createFixture()
    const set = async (input: {
      readonly plan: PlanName
      readonly retentionDays?: number | null
    }) => value(await service.tenants.setPlan(system, { tenantId, ...input }))
    await set({ plan: 'Enterprise', retentionDays: 3650 })
    assert.equal((await set({ plan: 'Enterprise' })).retentionDays, 3650)
    assert.equal((await set({ plan: 'Enterprise', retentionDays: null })).retentionDays, 3650)
    await set({ plan: 'Enterprise', retentionDays: 400 })
    clock.jump(6 * day)
    await set({ plan: 'Enterprise' })
    clock.jump(day)
    await plans.tick()
    // The 7 days of the shorter one went on.
    assert.equal((await set({ plan: 'Enterprise' })).retentionDays, 400)
    await set({ plan: 'Team' })
    clock.jump(7 * day)
    await plans.tick()
    assert.equal((await set({ plan: 'Enterprise' })).retentionDays, 365)
  })
})
