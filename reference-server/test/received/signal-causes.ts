import assert from 'node:assert/strict'
import {
  type Cause,
  complete,
  decide,
  denied,
  iso,
  legacy,
  newSession,
  open,
  platform,
  send,
} from './acts.ts'
import { type App, day, minute, type ReceivedWorld } from './world.ts'

type SignalEventType =
  | 'alert.triggered'
  | 'alert.resolved'
  | 'session.flagged'
  | 'session.review.approved'
  | 'session.review.rejected'
  | 'governance.threshold_breached'
  | 'quality.score_computed'
  | 'session.completed'
  | 'health.status_changed'
  | 'compliance.rule_violation'

const sessionPath = (sessionId: string, { applicationId }: App, what = '') =>
  `/v1/sessions/${sessionId}${what}?applicationId=${applicationId}`

/** A rule over overdue cases that one case has triggered, and what an alert by it says. */
async function triggered(world: ReceivedWorld) {
  const app = await world.application()
  const { applicationId } = app
  const rule = { name: 'Overdue cases', metricName: 'reviews.overdue', comparator: 'gt' }
  const { alertRuleId } = await world.portal('admin', 'POST', '/v1/alert-rules', {
    ...{ ...rule, applicationId, threshold: 0, severity: 'critical' },
  })
  const path = `/v1/alert-rules/${alertRuleId}`
  const opened = await open(world, app)
  await world.pass(29 * minute)
  assert.equal((await world.portal('admin', 'GET', path)).state, 'ok')
  await world.pass(3 * minute)
  const { state, stateSince } = await world.portal('admin', 'GET', path)
  assert.equal(state, 'triggered')
  const late = Date.parse(stateSince) - opened.at - 30 * minute
  assert.ok(late >= 0 && late <= minute, `${late} ms after it was due`)
  const data = {
    ...{ alertRuleId, alertRuleName: rule.name, metricName: rule.metricName },
    ...{ threshold: 0, severity: 'critical' },
  }
  return { app, path, opened, data, since: stateSince as string }
}

/** A completed session, reviewed; what its event says. */
async function reviewed<D extends 'approved' | 'rejected'>(world: ReceivedWorld, decision: D) {
  const app = await world.application()
  const [sessionId = ''] = await complete(world, app, 1)
  const path = sessionPath(sessionId, app, '/reviews')
  const made = await world.portal('reviewer', 'POST', path, { decision, comment: 'looks right' })
  const { sessionReviewId, reviewedAt } = made
  const data = { sessionId, sessionReviewId, decision, reviewedAt }
  return { at: { at: world.clock.now(), app }, data }
}

/** What brings alerts, scores, marks and the events of sessions about (interface, Event data). */
export const signalCauses: { readonly [T in SignalEventType]: Cause<T> } = {
  'alert.triggered': async (world) => {
    const { app, path, data, since } = await triggered(world)
    await world.portal('admin', 'DELETE', path)
    return [legacy(world, 'alert.triggered', { at: since, app }, { ...data, currentValue: 1 })]
  },

  'alert.resolved': async (world) => {
    const { app, path, opened, data, since } = await triggered(world)
    await decide(world, opened)
    await world.pass(3 * minute)
    const { state, stateSince } = await world.portal('admin', 'GET', path)
    assert.equal(state, 'ok')
    await world.portal('admin', 'DELETE', path)
    const told = { ...data, currentValue: 0, triggeredAt: since }
    return [legacy(world, 'alert.resolved', { at: stateSince, app }, told)]
  },

  'session.flagged': async (world) => {
    const app = await world.application({ qualityThreshold: 60 })
    const [good, bad, forbidden] = [newSession(), newSession(), newSession()]
    await send(
      world,
      app,
      { sessionId: good },
      { sessionId: bad, failed: true },
      { sessionId: forbidden, attributes: denied },
    )
    const flag = { flag: 'safety', severity: 'critical', note: 'a private note' }
    await world.portal('reviewer', 'POST', sessionPath(good, app, '/flags'), flag)
    await world.pass(2 * minute)
    const flagOf = async (sessionId: string) =>
      (await world.portal('admin', 'GET', sessionPath(sessionId, app, '/flags'))).flags[0]
    const kinds = [
      [forbidden, 'compliance', 'warning', 'policy'],
      [good, 'safety', 'critical', 'member'],
      [bad, 'quality', 'warning', 'score'],
    ] as const
    return Promise.all(
      kinds.map(async ([sessionId, flag, severity, source]) => {
        const { flagId, raisedAt } = await flagOf(sessionId)
        const data = { sessionId, flagId, flag, severity, source, flaggedAt: raisedAt }
        return legacy(world, 'session.flagged', { at: raisedAt, app }, data)
      }),
    )
  },

  'session.review.approved': async (world) => {
    const { at, data } = await reviewed(world, 'approved')
    return [legacy(world, 'session.review.approved', at, data)]
  },

  'session.review.rejected': async (world) => {
    const { at, data } = await reviewed(world, 'rejected')
    return [legacy(world, 'session.review.rejected', at, data)]
  },

  'governance.threshold_breached': async (world) => {
    const app = await world.application({ governanceThreshold: 80 })
    const scores = () =>
      world.portal('admin', 'GET', `/v1/applications/${app.applicationId}/scores`)
    await complete(world, app, 10)
    await world.pass(minute)
    assert.equal((await scores()).governance, 100)
    await complete(world, app, 10, { attributes: denied })
    await world.pass(minute)
    // Of 20 sessions the half without denial, 40 of the 50 points that there are; quality the other 10.
    const { governance: score, computedAt, sessions } = await scores()
    assert.deepEqual([score, sessions], [60, 20])
    const data = { score, previousScore: 100, threshold: 80, windowDays: 7, computedAt }
    return [legacy(world, 'governance.threshold_breached', { at: computedAt, app }, data)]
  },

  'quality.score_computed': async (world) => {
    const app = await world.application()
    const sessionId = newSession()
    const guardrail = { 'openinference.span.kind': 'GUARDRAIL' }
    await send(
      world,
      app,
      { sessionId },
      { sessionId, below: true, failed: true },
      { sessionId, below: true, attributes: guardrail },
      { sessionId, below: true },
    )
    await world.pass(2 * minute)
    const { completedAt, qualityScore } = await world.portal(
      'admin',
      'GET',
      sessionPath(sessionId, app),
    )
    // Three of four steps are ok, the session and its guardrail too, and nobody scored it: 77.5 of 90 points.
    const components = { okSteps: 75, notFailed: 100, guardrails: 100 }
    assert.equal(qualityScore, 86.1)
    const data = {
      sessionId,
      score: 86.1,
      components,
      scorer: 'default-1',
      computedAt: completedAt,
    }
    return [legacy(world, 'quality.score_computed', { at: completedAt, app }, data)]
  },

  'session.completed': async (world) => {
    const app = await world.application()
    const [whole, broken] = [newSession(), newSession()]
    const tokens = (input: number, output: number) => ({
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
    })
    const found = (effect: string) => ({
      'countersign.policy.rule_id': `own-${effect}`,
      'countersign.policy.effect': effect,
    })
    const endedAt = world.clock.now()
    const sessionId = whole
    await send(
      world,
      app,
      { sessionId, tookMs: 2_500 },
      {
        ...{ sessionId, below: true, failed: true },
        attributes: { ...tokens(12, 34), ...found('allow'), 'gen_ai.request.model': 'gpt-4o' },
      },
      {
        ...{ sessionId, below: true },
        attributes: { ...tokens(1, 2), ...found('deny'), 'gen_ai.request.model': 'o3' },
      },
      { sessionId, below: true, attributes: found('require_review') },
      { sessionId, below: true, attributes: found('allow') },
      { sessionId: broken, failed: true },
    )
    await world.pass(2 * minute)
    const completedAt = async (id: string) =>
      (await world.portal('admin', 'GET', sessionPath(id, app))).completedAt
    const place = async (id: string) => ({ at: await completedAt(id), app })
    return [
      platform(world, 'session.completed', await place(whole), {
        ...{ sessionId, status: 'completed' },
        ...{ startedAt: iso(endedAt - 2_500), endedAt: iso(endedAt), durationMs: 2_500 },
        ...{ stepCount: 5, errorCount: 1, inputTokens: 13, outputTokens: 36 },
        models: ['gpt-4o', 'o3'],
        policyEffects: { allow: 2, deny: 1, requireReview: 1 },
      }),
      platform(world, 'session.completed', await place(broken), {
        ...{ sessionId: broken, status: 'failed' },
        ...{ startedAt: iso(endedAt - 1_000), endedAt: iso(endedAt), durationMs: 1_000 },
        ...{ stepCount: 1, errorCount: 1, inputTokens: 0, outputTokens: 0 },
        models: [],
        policyEffects: { allow: 0, deny: 0, requireReview: 0 },
      }),
    ]
  },

  'health.status_changed': async (world) => {
    const app = await world.application()
    // Nothing is known of any application any more.
    await world.leap(2 * day)
    world.forget()
    await complete(world, app, 4)
    await world.pass(2 * minute)
    await complete(world, app, 5, { failed: true })
    await world.pass(5 * minute)
    const path = `/v1/applications/${app.applicationId}`
    const { health } = await world.portal('admin', 'GET', path)
    assert.equal(health.status, 'unhealthy')
    const times = world.came('health.status_changed')
    assert.equal(iso(times[2]?.at ?? 0), health.since)
    const moves = [
      ['unknown', 'healthy', []],
      ['healthy', 'unhealthy', ['failed_sessions']],
    ] as const
    const scopes = ['application', 'organization'] as const
    return moves.flatMap(([previousStatus, status, reasons], move) =>
      scopes.map((scope, of) => {
        const at = times[2 * move + of]?.at ?? 0
        const data = { scope, previousStatus, status, reasons, changedAt: iso(at) }
        const place = { at, app: scope === 'application' ? app : null }
        return platform(world, 'health.status_changed', place, data)
      }),
    )
  },

  'compliance.rule_violation': async (world) => {
    const app = await world.application()
    const saved = await world.portal(
      'admin',
      'PUT',
      `/v1/applications/${app.applicationId}/policy-rules`,
      {
        ruleSetVersion: 0,
        rules: [
          {
            ...{ name: 'No drops', effect: 'deny', severity: 'critical' },
            match: { toolNames: ['db.*'] },
          },
        ],
      },
    )
    const sessionId = newSession()
    const at = world.clock.now()
    const [dropped = '', own = ''] = await send(
      world,
      app,
      { sessionId, attributes: { 'gen_ai.tool.name': 'db.drop' } },
      { sessionId, below: true, attributes: denied },
    )
    const detectedAt = iso(at)
    return [
      platform(
        world,
        'compliance.rule_violation',
        { at, app },
        {
          ...{ sessionId, stepId: dropped, ruleId: saved.rules[0].ruleId, ruleVersion: 1 },
          ...{ ruleName: 'No drops', severity: 'critical', source: 'service', detectedAt },
        },
      ),
      platform(
        world,
        'compliance.rule_violation',
        { at, app },
        {
          ...{ sessionId, stepId: own, ruleId: 'own-rule', ruleVersion: null },
          ...{ ruleName: 'own-rule', severity: 'warning', source: 'application', detectedAt },
        },
      ),
    ]
  },
}
