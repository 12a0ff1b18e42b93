import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultOfSent } from '@countersign/core/events'
import { sessionFlags } from '../../policies/flags/records.ts'
import { policyDemands } from '../../policies/records.ts'
import { policyRule } from './facts.ts'
import { createWorld, judgedBy, start } from './world.ts'

const review = policyRule({ ruleId: 'rule_review' })
const urgent = policyRule({
  ruleId: 'rule_urgent',
  name: 'Urgent transfers',
  reviewTier: 'urgent',
  reasonCategory: 'high_risk_action',
})
const deny = policyRule({ ruleId: 'rule_deny', effect: 'deny', severity: 'critical' })
const allow = policyRule({ ruleId: 'rule_allow', effect: 'allow' })

describe('the consequences of a judgement', () => {
  it('are one case at the checkpoint, of the severest tier, with digests and without content', async () => {
    const world = await createWorld()
    const { results, reviewCaseIds } = await world.enact([
      judgedBy([review, urgent, allow], { input: 'secret', resumeToken: 'go-on' }),
    ])
    const [made, ...more] = world.cases()
    assert.ok(made && more.length === 0)
    assert.deepEqual(reviewCaseIds, [made.reviewCaseId])
    assert.deepEqual(
      [made.state, made.checkpointId, made.stepId, made.reviewTier, made.reasonCategory],
      ['open', 'step-1', 'step-1', 'urgent', 'high_risk_action'],
    )
    assert.deepEqual([made.dueAt, made.expiresAt], [start + 30 * 60_000, start + 4 * 3_600_000])
    assert.equal(made.history[0]?.actor, 'system')
    assert.deepEqual(made.presentation, {
      title: 'Step payments.transfer: Large transfers, Urgent transfers',
      applicationId: 'app_1',
      sessionId: 'session-1',
      step: {
        stepId: 'step-1',
        type: 'tool',
        name: 'execute_tool transfer',
        toolName: 'payments.transfer',
        model: null,
        startedAt: '1970-01-01T00:00:01.000Z',
      },
      rules: [
        { ruleId: 'rule_review', version: 1, name: 'Large transfers' },
        { ruleId: 'rule_urgent', version: 1, name: 'Urgent transfers' },
      ],
      payloads: [{ field: 'input', bytes: 12, digest: 'a'.repeat(64) }],
    })
    assert.deepEqual(
      results[0]?.map(({ reviewCaseId }) => reviewCaseId),
      [made.reviewCaseId, made.reviewCaseId, null],
    )
    const [event] = world.events()
    assert.equal(event?.type, 'review.case.created')
    assert.equal(faultOfSent({ ...event }), null)
  })

  it('take the rule’s own deadlines', async () => {
    const world = await createWorld()
    await world.enact([judgedBy([{ ...review, dueInSeconds: 60, expiresInSeconds: 90 }])])
    const [made] = world.cases()
    assert.deepEqual([made?.dueAt, made?.expiresAt], [start + 60_000, start + 90_000])
  })

  it('are no second case while one is open at the checkpoint, also within one commit', async () => {
    const world = await createWorld()
    const first = await world.enact([
      judgedBy([review], { checkpointId: 'cp' }),
      judgedBy([urgent], { checkpointId: 'cp', stepId: 'step-2' }),
    ])
    const second = await world.enact([judgedBy([deny, urgent], { checkpointId: 'cp' })])
    assert.equal(world.cases().length, 1)
    assert.equal(world.cases()[0]?.stepId, 'step-2', 'the step of the severest demand')
    assert.deepEqual(second.reviewCaseIds, first.reviewCaseIds)
    assert.equal(world.rows(policyDemands).length, 2)
    assert.equal(world.events().filter(({ type }) => type === 'review.case.created').length, 1)
  })

  it('record a case past its expiry as expired before the next is opened', async () => {
    const world = await createWorld()
    await world.enact([judgedBy([urgent])])
    await world.clock.advance(5 * 3_600_000)
    await world.enact([judgedBy([urgent])])
    const cases = world.cases()
    assert.deepEqual(
      cases.map(({ state }) => state),
      ['expired', 'open'],
    )
    const [demand] = world.rows(policyDemands)
    assert.equal(demand?.row.reviewCaseId, cases[1]?.reviewCaseId)
  })

  it('are an event for each denial, and one open flag as severe as the severest', async () => {
    const world = await createWorld()
    const mild = { ...deny, ruleId: 'rule_mild', severity: 'info' } as const
    const first = await world.enact([
      judgedBy([mild]),
      judgedBy([deny, mild], { stepId: 'step-2' }),
    ])
    const second = await world.enact([judgedBy([mild], { stepId: 'step-3' })])
    assert.deepEqual([first.flags, second.flags], [1, 0])
    const flags = world.rows(sessionFlags).map(({ row }) => row)
    assert.deepEqual(
      flags.map(({ flag, source, severity, state }) => [flag, source, severity, state]),
      [['compliance', 'policy', 'critical', 'open']],
    )
    const events = world.events()
    for (const event of events) assert.equal(faultOfSent({ ...event }), null)
    const count = (wanted: string) => events.filter(({ type }) => type === wanted).length
    assert.deepEqual([count('compliance.rule_violation'), count('session.flagged')], [4, 1])
  })

  it('are nothing where nothing was found', async () => {
    const world = await createWorld()
    const entailed = await world.enact([judgedBy([]), judgedBy([allow])])
    assert.deepEqual([entailed.puts, entailed.events, entailed.flags], [[], [], 0])
  })
})
