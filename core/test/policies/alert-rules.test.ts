import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AlertRuleInput, unwrap } from '@countersign/core'
import { byNewKey } from '@countersign/core/testing'
import { activityMinutes } from '../../content/activity/records.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { most } from '../../kernel/ledger/limits.ts'
import { judged, minute } from './judged.ts'

const failing: AlertRuleInput = {
  name: 'Failing sessions',
  metricName: 'sessions.failed_percent',
  comparator: 'gt',
  threshold: 20,
  recoveryThreshold: 10,
  severity: 'critical',
}

describe('an alert rule', () => {
  it('triggers once beyond its threshold and resolves after two judgements on the good side', async () => {
    const { create, complete, judge, told, read, owner, events, letters } = await judged()
    const { applicationId } = owner
    const { alertRuleId } = await create({ ...failing, applicationId })
    await judge(2)
    assert.deepEqual(told(), [], 'no data changes nothing')
    assert.equal((await read(alertRuleId)).currentValue, null)

    await complete(4)
    await judge()
    assert.equal((await read(alertRuleId)).currentValue, 0)
    await complete(2, { status: 'error' })
    await judge(2)
    assert.deepEqual(told(), ['triggered 33.3'])
    const triggered = await read(alertRuleId)
    assert.deepEqual([triggered.state, triggered.currentValue], ['triggered', 33.3])

    // The failures leave the window of 300 s; without a session in it nothing changes.
    await judge(8)
    assert.equal((await read(alertRuleId)).state, 'triggered')
    await complete(3)
    await judge()
    assert.deepEqual(told(), ['triggered 33.3'])
    await judge()
    assert.deepEqual(told(), ['triggered 33.3', 'resolved 0'])
    assert.equal((await read(alertRuleId)).state, 'ok')
    assert.deepEqual(
      letters.map(({ to, subject }) => [to, subject]),
      [[null, 'Alert: Failing sessions']],
      'one mail, when it was triggered',
    )

    const [first, second] = ['alert.triggered', 'alert.resolved'].map((type) => events(type)[0])
    const at = (first as unknown as { readonly timestamp: string }).timestamp
    assert.deepEqual((second as unknown as { readonly data: object }).data, {
      alertRuleId,
      alertRuleName: 'Failing sessions',
      metricName: 'sessions.failed_percent',
      currentValue: 0,
      threshold: 20,
      severity: 'critical',
      triggeredAt: at,
    })
    assert.deepEqual(
      [first, second].map(
        (event) => (event as unknown as { readonly applicationId: string }).applicationId,
      ),
      [applicationId, applicationId],
    )
  })

  it('over all applications is told of the organization', async () => {
    const { create, complete, judge, events } = await judged()
    await create({
      ...failing,
      metricName: 'sessions.count',
      threshold: 2,
      recoveryThreshold: null,
    })
    await complete(3)
    await judge()
    const [event] = events('alert.triggered')
    assert.equal((event as unknown as { readonly applicationId: null }).applicationId, null)
  })

  it('counts no open cases of an application that is being deleted', async () => {
    const { create, judge, read, service, admin, owner } = await judged()
    const { alertRuleId } = await create({
      name: 'open cases',
      metricName: 'reviews.open',
      comparator: 'gt',
      threshold: 10,
      severity: 'info',
    })
    const openedIn = async (applicationId: string) => {
      const by = await byNewKey(service, admin, applicationId)
      unwrap(
        await service.reviewCases.open(by, {
          sessionId: 's',
          checkpointId: 'c',
          reasonCategory: 'high_risk_action',
          presentation: {},
          idempotencyKey: 'one',
        }),
      )
    }
    const other = unwrap(await service.applications.create(admin, { name: 'Other' }))
    await openedIn(owner.applicationId)
    await openedIn(other.applicationId)
    await judge()
    assert.equal((await read(alertRuleId)).currentValue, 2)
    unwrap(
      await service.applications.requestDeletion(admin, { applicationId: other.applicationId }),
    )
    await judge()
    assert.equal((await read(alertRuleId)).currentValue, 1)
  })

  it('is judged at once when it is saved, and edits and removals emit nothing', async () => {
    const { create, complete, runner, told, read, service, admin, clock } = await judged()
    await complete(3, { status: 'error' })
    await clock.advance(minute)
    const { alertRuleId } = await create(failing)
    await runner.tick()
    assert.deepEqual(told(), ['triggered 100'])

    const renamed = { ...failing, name: 'Another name', severity: 'info' } as const
    unwrap(await service.alertRules.update(admin, { alertRuleId, ...renamed }))
    assert.equal((await read(alertRuleId)).state, 'triggered')
    const off = { ...renamed, enabled: false }
    const disabled = unwrap(await service.alertRules.update(admin, { alertRuleId, ...off }))
    assert.deepEqual([disabled.state, disabled.currentValue], ['ok', null])
    await clock.advance(minute)
    await runner.tick()
    assert.equal((await read(alertRuleId)).state, 'ok')
    unwrap(await service.alertRules.update(admin, { alertRuleId, ...renamed }))
    await runner.tick()
    assert.deepEqual(told(), ['triggered 100', 'triggered 100'])
    unwrap(await service.alertRules.remove(admin, { alertRuleId }))
    await clock.advance(minute)
    await runner.tick()
    assert.equal(told().length, 2)
  })

  it('reads each metric from what is stored', async () => {
    const { create, complete, judge, read } = await judged()
    const rules = new Map<string, string>()
    for (const metricName of [
      'sessions.count',
      'sessions.duration_p95_ms',
      'steps.error_percent',
      'tokens.total',
      'policy.violations',
      'reviews.open',
      'reviews.overdue',
      'quality.mean',
      'governance.score',
      'quota.used_percent',
      'deliveries.dead_lettered',
    ] as const) {
      const rule = { ...failing, metricName, threshold: 1_000_000, recoveryThreshold: null }
      rules.set(metricName, (await create(rule)).alertRuleId)
    }
    const own = { ruleId: 'own', reasonCategory: null, reviewTier: null } as const
    const denied = { ...own, effect: 'deny' } as const
    const asking = { ...own, effect: 'require_review' } as const
    await complete(3, { inputTokens: 10, outputTokens: 5, policyResult: denied })
    await complete(1, { status: 'error', policyResult: asking })
    await judge()
    const values: Record<string, number | null> = {}
    for (const [metric, id] of rules) values[metric] = (await read(id)).currentValue
    assert.deepEqual(values, {
      'sessions.count': 4,
      'sessions.duration_p95_ms': 1_006,
      'steps.error_percent': 25,
      'tokens.total': 45,
      'policy.violations': 3,
      'reviews.open': 1,
      'reviews.overdue': 0,
      'quality.mean': 75,
      'governance.score': null,
      'quota.used_percent': null,
      'deliveries.dead_lettered': 0,
    })
  })

  it('refuses what it can not judge, and more of them than an organization may have', async () => {
    const { service, admin, create, store, owner } = await judged()
    const refusal = async (input: Partial<AlertRuleInput>) => {
      const made = await service.alertRules.create(admin, { ...failing, ...input })
      return made.ok ? 'ok' : `${made.refusal.code} ${made.refusal.errors?.[0]?.pointer ?? ''}`
    }
    assert.equal(await refusal({ name: ' ' }), 'invalid_request /name')
    assert.equal(await refusal({ windowSeconds: 59 }), 'invalid_request /windowSeconds')
    assert.equal(await refusal({ windowSeconds: 86_401 }), 'invalid_request /windowSeconds')
    assert.equal(await refusal({ recoveryThreshold: 21 }), 'invalid_request /recoveryThreshold')
    assert.equal(await refusal({ threshold: Number.NaN }), 'invalid_request /threshold')
    assert.equal(await refusal({ applicationId: 'app_unknown' }), 'not_found ')
    assert.equal(
      await refusal({ metricName: 'quota.used_percent', applicationId: owner.applicationId }),
      'invalid_request /applicationId',
    )
    for (let at = 0; at < most.alertRules; at++) await create(failing)
    assert.equal(await refusal({}), 'alert_rule_limit ')
    const [log] = await store.read(owner.tenantId, [
      { log: auditLog.name, partition: owner.tenantId, after: 0, take: 200 },
    ])
    const entries = (log?.rows ?? []).map(({ row }) =>
      new TextDecoder().decode((row as { readonly entry: Uint8Array }).entry),
    )
    const created = entries.filter((entry) => entry.includes('alert_rule.created'))
    assert.equal(created.length, most.alertRules)
    assert.ok(created.every((entry) => !entry.includes('Failing')))
  })
})

describe('health', () => {
  it('changes when two judgements agree, first of the application, then of the organization', async () => {
    const { complete, judge, health, events } = await judged()
    assert.equal((await health())?.status, 'unknown')
    await complete(1)
    await judge()
    assert.equal((await health())?.status, 'unknown')
    await judge(3)
    assert.equal((await health())?.status, 'healthy')
    await complete(5, { status: 'error' })
    await judge(4)
    assert.equal((await health())?.status, 'unhealthy')
    // The failures leave the 15 minutes; a day later nothing is known any more.
    await judge(20)
    assert.equal((await health())?.status, 'healthy')
    const told = () =>
      events('health.status_changed').map((event) => {
        const { application, data } = event as unknown as {
          readonly application: object | null
          readonly data: Readonly<Record<string, unknown>>
        }
        assert.equal(application === null, data.scope === 'organization')
        return `${data.scope} ${data.previousStatus} ${data.status} ${data.reasons}`
      })
    assert.deepEqual(told(), [
      'application unknown healthy ',
      'organization unknown healthy ',
      'application healthy unhealthy failed_sessions',
      'organization healthy unhealthy failed_sessions',
      'application unhealthy healthy ',
      'organization unhealthy healthy ',
    ])
  })

  it('is degraded while a tenth of its sessions failed', async () => {
    const { complete, judge, health } = await judged()
    await complete(9)
    await complete(1, { status: 'error' })
    await judge(4)
    assert.equal((await health())?.status, 'degraded')
    await complete(1)
    await judge(4)
    assert.equal((await health())?.status, 'healthy')
  })

  it('is unknown a day after the last session, without a judgement a minute until then', async () => {
    const { complete, judge, health, clock, runner } = await judged()
    await complete(1)
    await judge(20)
    assert.equal((await health())?.status, 'healthy')
    let judgements = 0
    for (let at = 0; at < 25; at++) {
      await clock.advance(60 * minute)
      judgements += await runner.tick()
    }
    await judge(2)
    assert.equal((await health())?.status, 'unknown')
    assert.ok(judgements <= 6, `${judgements}`)
  })

  it('reads each session once, however often it is judged', async () => {
    const { complete, judge, rows } = await judged()
    await complete(3)
    await judge(5)
    const sums = rows(activityMinutes).flatMap(({ slots }) =>
      Object.values(slots).map(({ sessions }) => sessions),
    )
    assert.equal(
      sums.reduce((all, count) => all + count, 0),
      3,
    )
  })
})
