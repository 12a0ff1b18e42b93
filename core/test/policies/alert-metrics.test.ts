import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { answered } from '@countersign/core/testing'
import { workItems } from '../../kernel/work/records.ts'
import { judgementKind } from '../../policies/judgement/item.ts'
import { setPlan } from '../sessions/world.ts'
import { callback, day, minute, working } from './working.ts'

const denied = {
  policyResult: { ruleId: 'own', effect: 'deny', reasonCategory: null, reviewTier: null },
} as const

describe('an alert over', () => {
  it('reviews.overdue follows cases past dueAt until they are closed', async () => {
    const { watch, open, cancel, clock, alerts, values, service } = await working()
    await watch('late', { metricName: 'reviews.overdue', comparator: 'gte', threshold: 2 })
    const [first] = [await open(5 * minute), await open(5 * minute), await open(day)]
    await clock.advance(4 * minute)
    assert.deepEqual([await values(), alerts()], [{ late: 0 }, []])
    await clock.advance(3 * minute)
    assert.deepEqual([await values(), alerts()], [{ late: 2 }, ['late triggered 2']])
    await cancel(first)
    await clock.advance(3 * minute)
    assert.deepEqual(alerts(), ['late triggered 2', 'late resolved 1'])
    await service.close()
  })

  it('deliveries.dead_lettered counts what was given up in its window, callbacks too', async () => {
    const { watch, open, cancel, clock, alerts, values, service, admin, owner, fail, complete } =
      await working()
    const { applicationId } = owner
    const rule = { metricName: 'deliveries.dead_lettered', comparator: 'gt', threshold: 1 } as const
    await watch('all', { ...rule, threshold: 2 })
    await watch('own', { ...rule, applicationId })
    await complete(1)
    fail('session.flagged', 'gdpr.legal_hold_placed')
    const flag = { flag: 'safety' } as const
    unwrap(await service.flags.raise(admin, { sessionId: 's-1', ...flag }))
    unwrap(await service.legalHolds.place(admin, { dataSubjectId: 'ada', matter: 'Case 7' }))
    // Four attempts take 155 s.
    await clock.advance(150_000)
    assert.deepEqual(await values(), { all: 0, own: 0 })
    const signing = { method: 'shared_secret' } as const
    const input = { url: callback, enabled: true, signing }
    unwrap(await service.applications.setOutcomeCallback(admin, { applicationId, ...input }))
    await cancel(await open(day))
    await clock.advance(2 * minute)
    assert.deepEqual(await values(), { all: 3, own: 2 })
    assert.deepEqual(alerts().toSorted(), ['all triggered 3', 'own triggered 2'])
    await clock.advance(8 * minute)
    assert.deepEqual(await values(), { all: 0, own: 0 })
    assert.deepEqual(alerts().slice(2).toSorted(), ['all resolved 0', 'own resolved 0'])
    await service.close()
  })

  it('deliveries.dead_lettered counts chat messages of selected events, no others', async () => {
    const world = await working()
    const { watch, clock, values, service, admin, owner, transport, complete } = world
    const { applicationId } = owner
    const chat = 'https://chat.example/services/T000'
    const rule = { metricName: 'deliveries.dead_lettered', comparator: 'gt' } as const
    const wide = { ...rule, threshold: 100, windowSeconds: 3_600 }
    await watch('all', wide)
    await watch('own', { ...wide, applicationId })
    await complete(1)
    const eventTypes = ['session.flagged', 'gdpr.legal_hold_placed'] as const
    const input = { kind: 'slack', webhookUrl: chat, eventTypes } as const
    const { channelId } = unwrap(await service.notificationChannels.create(admin, input))
    const answer = (status: number) =>
      transport.follow(({ url }) => answered(url === chat ? status : 200))
    const flag = async () =>
      unwrap(await service.flags.raise(admin, { sessionId: 's-1', flag: 'safety' }))
    const hold = async () =>
      unwrap(await service.legalHolds.place(admin, { dataSubjectId: 'ada', matter: 'Case 7' }))
    answer(500)
    await flag()
    await hold()
    await clock.advance(5 * minute)
    assert.deepEqual(await values(), { all: 2, own: 1 })

    const tested = service.notificationChannels.test(admin, { channelId })
    await clock.advance(5 * minute)
    assert.equal(unwrap(await tested).responseStatus, 500)
    assert.deepEqual(await values(), { all: 2, own: 1 }, 'a test is of no event')

    await hold()
    await clock.advance(1)
    unwrap(await service.notificationChannels.update(admin, { channelId, enabled: false }))
    await clock.advance(5 * minute)
    assert.deepEqual(await values(), { all: 2, own: 1 }, 'what is turned off owes nothing')

    unwrap(await service.notificationChannels.update(admin, { channelId, enabled: true }))
    answer(410)
    await hold()
    await clock.advance(5 * minute)
    assert.deepEqual(await values(), { all: 3, own: 1 })
    await service.close()
  })

  it('governance.score fires when it falls, and ends when it is back', async () => {
    const { watch, complete, alerts, service, clock } = await working()
    await watch('low', { metricName: 'governance.score', comparator: 'lt', threshold: 80 })
    await complete(10)
    await complete(10, denied)
    await clock.advance(minute)
    // Half without denial for 40 of 50 points, quality for the other 10.
    assert.deepEqual(alerts(), ['low triggered 60'])
    await complete(20)
    await clock.advance(2 * minute)
    assert.deepEqual(alerts(), ['low triggered 60', 'low resolved 80'])
    await service.close()
  })

  it('quota.used_percent fires by the sessions of the month, and ends with it', async () => {
    const { watch, complete, alerts, values, service, clock } = await working('Builder')
    await watch('quota', { metricName: 'quota.used_percent', comparator: 'gt', threshold: 1 })
    await complete(5)
    assert.deepEqual([await values(), alerts()], [{ quota: 1 }, []])
    await complete(3)
    assert.deepEqual(alerts(), ['quota triggered 1.6'])
    clock.jump(31 * day)
    await clock.advance(3 * minute)
    assert.deepEqual(alerts(), ['quota triggered 1.6', 'quota resolved 0'])
    await service.close()
  })

  it('quota.used_percent ends with the limit of the plan, whatever the comparator', async () => {
    const world = await working('Builder')
    const { watch, complete, alerts, values, service, clock } = world
    const rule = { metricName: 'quota.used_percent' } as const
    await watch('much', { ...rule, comparator: 'gt', threshold: 1 })
    await watch('little', { ...rule, comparator: 'lt', threshold: 5 })
    await watch('none', { ...rule, comparator: 'gt', threshold: 50 })
    await complete(8)
    const triggered = ['little triggered 1.6', 'much triggered 1.6']
    assert.deepEqual(alerts().toSorted(), triggered)
    await setPlan(world, 'Enterprise')
    await clock.advance(3 * minute)
    const resolved = ['little resolved 0', 'much resolved 0']
    assert.deepEqual(alerts().toSorted(), [...triggered, ...resolved].toSorted())
    assert.deepEqual(await values(), { much: null, little: null, none: null })
    await setPlan(world, 'Builder')
    await clock.advance(3 * minute)
    assert.deepEqual(await values(), { much: 1.6, little: 1.6, none: 1.6 })
    assert.equal(alerts().length, 6)
    await service.close()
  })
})

describe('health', () => {
  it('follows alerts of the application, and those over all for the organization alone', async () => {
    const { watch, open, cancel, clock, health, service, owner } = await working()
    const rule = { metricName: 'reviews.open', comparator: 'gt' } as const
    const { applicationId } = owner
    await watch('all', { ...rule, threshold: 0, severity: 'warning' })
    await watch('own', { ...rule, threshold: 1, severity: 'critical', applicationId })
    const first = await open(day)
    await clock.advance(3 * minute)
    assert.deepEqual(health(), ['organization unknown degraded warning_alert'])
    const second = await open(day)
    await clock.advance(4 * minute)
    assert.deepEqual(health().slice(1), [
      'application unknown unhealthy critical_alert',
      'organization degraded unhealthy critical_alert',
    ])
    await cancel(first)
    await cancel(second)
    await clock.advance(6 * minute)
    assert.deepEqual(health().slice(3), [
      'application unhealthy unknown no_sessions',
      'organization unhealthy unknown no_sessions',
    ])
    await service.close()
  })

  it('is degraded while governance is below the threshold', async () => {
    const { complete, clock, health, service, admin, owner, store } = await working()
    const settings = { governanceThreshold: 80 }
    unwrap(
      await service.applications.update(admin, { applicationId: owner.applicationId, settings }),
    )
    await complete(10, denied)
    await clock.advance(4 * minute)
    assert.deepEqual(health().slice(-2), [
      'application healthy degraded governance_below_threshold',
      'organization healthy degraded governance_below_threshold',
    ])
    // It stays so when it falls silent, and is judged beside each computation, not every minute.
    await clock.advance(day)
    const judgements = () =>
      store.rows(workItems).find(({ row }) => row.kind === judgementKind)?.version ?? 0
    const before = judgements()
    await clock.advance(12 * 60 * minute)
    assert.ok(judgements() - before < 100, `${judgements() - before}`)
    assert.equal(health().length, 4)
    await service.close()
  })
})

describe('an application that is being deleted', () => {
  it('is left out of the cases of the organization until its deletion is cancelled', async () => {
    const { watch, open, clock, values, service, admin, keyed } = await working()
    const other = unwrap(await service.applications.create(admin, { name: 'Other' }))
    const { applicationId } = other
    const application = await keyed(applicationId)
    for (const metricName of ['reviews.open', 'reviews.overdue'] as const)
      await watch(metricName, { metricName, comparator: 'gt', threshold: 100 })
    await open(day)
    await open(3 * minute, application)
    await clock.advance(5 * minute)
    const all = { 'reviews.open': 2, 'reviews.overdue': 1 }
    assert.deepEqual(await values(), all)

    unwrap(await service.applications.requestDeletion(admin, { applicationId }))
    await clock.advance(2 * minute)
    assert.deepEqual(await values(), { 'reviews.open': 1, 'reviews.overdue': 0 })
    unwrap(await service.applications.cancelDeletion(admin, { applicationId }))
    await clock.advance(2 * minute)
    assert.deepEqual(await values(), all)
    await service.close()
  })

  it('counts no delivery that is given up meanwhile', async () => {
    const { watch, clock, values, service, admin, owner, fail, complete } = await working()
    const { applicationId } = owner
    const rule = { comparator: 'gt', threshold: 100, windowSeconds: 3_600 } as const
    await watch('all', { ...rule, metricName: 'deliveries.dead_lettered' })
    await complete(1)
    fail('session.flagged')
    unwrap(await service.flags.raise(admin, { sessionId: 's-1', flag: 'safety' }))
    await clock.advance(1)
    unwrap(await service.applications.requestDeletion(admin, { applicationId }))
    await clock.advance(5 * minute)
    assert.deepEqual(await values(), { all: 0 })
    await service.close()
  })

  it('is left out of the health of its organization at once', async () => {
    const { clock, service, admin, owner, complete, health } = await working()
    const { applicationId } = owner
    await complete(1)
    // At rest: without a deletion it is judged again when the application falls silent.
    await clock.advance(30 * minute)
    const told = health().length
    unwrap(await service.applications.requestDeletion(admin, { applicationId }))
    await clock.advance(2 * minute)
    assert.deepEqual(health().slice(told), ['organization healthy unknown no_sessions'])
    unwrap(await service.applications.cancelDeletion(admin, { applicationId }))
    await clock.advance(2 * minute)
    assert.deepEqual(health().slice(told + 1), ['organization unknown healthy'])
    await service.close()
  })

  it('has its governance computed again once its deletion is cancelled', async () => {
    const { clock, service, admin, owner, complete } = await working()
    const { applicationId } = owner
    const computedAt = async () =>
      unwrap(await service.scores.read(admin, { applicationId })).computedAt
    await complete(1)
    const before = await computedAt()
    assert.ok(before)
    unwrap(await service.applications.requestDeletion(admin, { applicationId }))
    await clock.advance(61 * minute)
    assert.equal(await computedAt(), before)
    unwrap(await service.applications.cancelDeletion(admin, { applicationId }))
    await clock.advance(61 * minute)
    assert.notEqual(await computedAt(), before)
    await service.close()
  })
})
