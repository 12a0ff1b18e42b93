import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AlertRuleInput, type ApplicationActor, unwrap } from '@countersign/core'
import type { PlanName } from '@countersign/core/access'
import { answered } from '@countersign/core/testing'
import { judgementKind } from '../../signals/judgement/item.ts'
import { workItems } from '../../work/records.ts'
import { createWorld, send, setPlan, span, spanOf, traceOf } from '../ingest/world.ts'

const minute = 60_000
const day = 24 * 60 * minute
const callback = 'https://callback.example/outcomes'

type Watching = Pick<AlertRuleInput, 'metricName' | 'comparator' | 'threshold'> &
  Partial<AlertRuleInput>

/** The whole service at work, with what its metrics are made of. */
async function working(plan: PlanName = 'Enterprise') {
  const world = await createWorld({ plan, pollMs: 60 * minute })
  const { service, admin, owner, clock, transport, events } = world
  /** An application by a key of its own. */
  async function keyed(applicationId: string): Promise<ApplicationActor> {
    const key = await service.access.createApplicationKey(admin, applicationId, { label: 'test' })
    return unwrap(await service.access.authenticateApplication(unwrap(key).value))
  }
  const application = await keyed(owner.applicationId)
  service.start()
  let made = 0
  const rules = new Map<string, string>()
  return {
    ...{ ...world, keyed },
    async watch(name: string, rule: Watching): Promise<void> {
      const input = { name, severity: 'warning', ...rule } as const
      const { alertRuleId } = unwrap(await service.signals.createAlertRule(admin, input))
      rules.set(alertRuleId, name)
    },
    /** Current values of the rules by their names. */
    async values(): Promise<Readonly<Record<string, number | null>>> {
      const query = { page: 1, pageSize: 100 }
      const { items } = unwrap(await service.signals.listAlertRules(admin, query))
      return Object.fromEntries(items.map(({ name, currentValue }) => [name, currentValue]))
    },
    /** Alerts so far. */
    alerts: () =>
      events().flatMap((event) => {
        if (!event.type.startsWith('alert.')) return []
        const { data } = event as unknown as {
          readonly data: { readonly alertRuleId: string; readonly currentValue: number }
        }
        const change = event.type.slice('alert.'.length)
        return `${rules.get(data.alertRuleId)} ${change} ${data.currentValue}`
      }),
    /** Changes of health so far, with their reasons. */
    health: () =>
      events('health.status_changed').map((event) => {
        const { data } = event as unknown as { readonly data: Readonly<Record<string, unknown>> }
        return `${data.scope} ${data.previousStatus} ${data.status} ${data.reasons}`.trim()
      }),
    /** Opens a case that is due so many ms from now. */
    async open(dueMs: number, by = application): Promise<string> {
      made++
      const opened = await service.reviewCases.open(by, {
        ...{ sessionId: `s-${made}`, checkpointId: 'pay', idempotencyKey: `open-${made}` },
        ...{ reasonCategory: 'high_risk_action', presentation: {} },
        dueAt: clock.now() + dueMs,
      })
      return unwrap(opened).reviewCaseId
    },
    cancel: async (reviewCaseId: string, by = application) =>
      unwrap(
        await service.reviewCases.cancel(by, reviewCaseId, {
          reasonCategory: 'end_user_cancelled',
        }),
      ),
    /** So many sessions complete. */
    async complete(count: number, given: Parameters<typeof span>[0] = {}): Promise<void> {
      const now = clock.now()
      for (let at = 0; at < count; at++) {
        made++
        const ids = { traceId: traceOf(made), spanId: spanOf(made), sessionId: `s-${made}` }
        unwrap(await send(world, span({ ...ids, startedAt: now - 1_000, endedAt: now, ...given })))
      }
      await clock.advance(3 * minute)
    },
    /** Deliveries of these types fail, and callbacks are gone. */
    fail(...types: readonly string[]): void {
      transport.follow(({ url, body }) => {
        if (url === callback) return answered(410)
        const { type } = JSON.parse(new TextDecoder().decode(body)) as { readonly type: string }
        return answered(types.includes(type) ? 500 : 200)
      })
    },
  }
}

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
    unwrap(await service.signals.raiseFlag(admin, 's-1', flag))
    unwrap(await service.privacy.placeHold(admin, { dataSubjectId: 'ada', matter: 'Case 7' }))
    // Four attempts take 155 s.
    await clock.advance(150_000)
    assert.deepEqual(await values(), { all: 0, own: 0 })
    const signing = { method: 'shared_secret' } as const
    const input = { url: callback, enabled: true, signing }
    unwrap(await service.applications.setOutcomeCallback(admin, applicationId, input))
    await cancel(await open(day))
    await clock.advance(2 * minute)
    assert.deepEqual(await values(), { all: 3, own: 2 })
    assert.deepEqual(alerts().toSorted(), ['all triggered 3', 'own triggered 2'])
    await clock.advance(8 * minute)
    assert.deepEqual(await values(), { all: 0, own: 0 })
    assert.deepEqual(alerts().slice(2).toSorted(), ['all resolved 0', 'own resolved 0'])
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
    unwrap(await service.applications.update(admin, owner.applicationId, { settings }))
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

    unwrap(await service.applications.requestDeletion(admin, applicationId))
    await clock.advance(2 * minute)
    assert.deepEqual(await values(), { 'reviews.open': 1, 'reviews.overdue': 0 })
    unwrap(await service.applications.cancelDeletion(admin, applicationId))
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
    unwrap(await service.signals.raiseFlag(admin, 's-1', { flag: 'safety' }))
    await clock.advance(1)
    unwrap(await service.applications.requestDeletion(admin, applicationId))
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
    unwrap(await service.applications.requestDeletion(admin, applicationId))
    await clock.advance(2 * minute)
    assert.deepEqual(health().slice(told), ['organization healthy unknown no_sessions'])
    unwrap(await service.applications.cancelDeletion(admin, applicationId))
    await clock.advance(2 * minute)
    assert.deepEqual(health().slice(told + 1), ['organization unknown healthy'])
    await service.close()
  })

  it('has its governance computed again once its deletion is cancelled', async () => {
    const { clock, service, admin, owner, complete } = await working()
    const { applicationId } = owner
    const computedAt = async () =>
      unwrap(await service.signals.readScores(admin, applicationId)).computedAt
    await complete(1)
    const before = await computedAt()
    assert.ok(before)
    unwrap(await service.applications.requestDeletion(admin, applicationId))
    await clock.advance(61 * minute)
    assert.equal(await computedAt(), before)
    unwrap(await service.applications.cancelDeletion(admin, applicationId))
    await clock.advance(61 * minute)
    assert.notEqual(await computedAt(), before)
    await service.close()
  })
})
