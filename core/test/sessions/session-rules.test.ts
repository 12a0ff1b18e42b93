import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { byNewKey } from '@countersign/core/testing'
import fc from 'fast-check'
import type { Store } from '../../base/ports/store.ts'
import { sessions, steps } from '../../content/records.ts'
import { seals } from '../../content/seal-records.ts'
import type { NormalSpan } from '../../content/span.ts'
import { sessionFlags } from '../../policies/flags/records.ts'
import type { Condition, Effect } from '../../policies/rules/shapes.ts'
import { reviewCases } from '../../review/records.ts'
import { leafOf, recordOf } from '../../sessions/seal/record.ts'
import { createWorld, send, span, spanOf, start, traceOf, type World } from './world.ts'

const minute = 60_000

/** A rule whose conditions are or-ed. */
const rule = (name: string, effect: Effect, ...attributes: readonly Condition[]) => ({
  name,
  effect,
  match: { attributes },
})
const named = (value: string): Condition => ({ key: 'session.agent.name', op: 'eq', value })

async function judging(world: World, rules: readonly ReturnType<typeof rule>[]): Promise<void> {
  const { service, admin, owner } = world
  const given = { ruleSetVersion: 0, rules }
  unwrap(await service.policyRules.set(admin, { applicationId: owner.applicationId, ...given }))
}

/** What the rules found of each step, and the sums. */
function found(world: World) {
  const results = world
    .rows(steps)
    .map(({ stepId, policyResults }): [string, string[]] => [
      stepId,
      policyResults.map(({ ruleName }) => ruleName).sort(),
    ])
  const sums = world.rows(sessions).map(({ sessionId, tally: { allow, deny, requireReview } }) => ({
    ...{ sessionId, allow, deny, requireReview },
  }))
  return { results: results.sort(([a], [b]) => (a < b ? -1 : 1)), sums }
}

/** What follows from results, which nothing takes back. */
function followed(world: World) {
  const cases = world.rows(reviewCases).map(({ checkpointId }) => checkpointId)
  return {
    violations: world
      .events('compliance.rule_violation')
      .map((event) => {
        const { stepId, ruleName } = (event as unknown as { data: Record<string, unknown> }).data
        return `${stepId} ${ruleName}`
      })
      .sort(),
    cases: cases.sort(),
    flags: world.rows(sessionFlags).map(({ flag }) => flag),
  }
}

const agent = (name: string) => ({ name, version: null })

describe('rules that read the session', () => {
  it('judge all steps of an export by what its session is with them', async () => {
    const world = await createWorld()
    await judging(world, [rule('teller', 'deny', named('teller'))])
    const like = Array.from({ length: 600 }, (_, at) =>
      span({ spanId: spanOf(at + 1), agent: agent('teller') }),
    )
    await send(world, ...like)
    const { violations, flags } = followed(world)
    assert.deepEqual([new Set(violations).size, violations.length, flags.length], [600, 600, 1])
  })

  const traced = (at: number) => (at % 3 === 0 ? 7 : 8)
  const spans: fc.Arbitrary<readonly NormalSpan[]> = fc
    .array(
      fc.record({
        agent: fc.constantFrom(null, null, agent('teller'), agent('auditor')),
        dataSubjectId: fc.constantFrom(null, null, 'ada', 'bob'),
        startedAt: fc.integer({ min: 0, max: 3 }).map((at) => start + at),
        input: fc.constantFrom(null, 'transfer'),
        sessionId: fc.constantFrom('s-1', 's-1', null),
      }),
      { minLength: 1, maxLength: 7 },
    )
    .map((list) =>
      list.map((each, at) =>
        span({
          ...each,
          // A trace without a name of its own becomes the session's with the first span that names it.
          sessionId: at === 0 || at === 3 ? 's-1' : each.sessionId,
          traceId: traceOf(at < 3 ? 7 : traced(at)),
          spanId: spanOf(at + 1),
          parentSpanId: spanOf(99),
          endedAt: start + minute,
        }),
      ),
    )

  const rules = [
    rule('teller', 'deny', named('teller')),
    rule('not teller', 'allow', { ...named('teller'), op: 'ne' }),
    rule('known', 'require_review', { key: 'session.dataSubjectId', op: 'exists', value: true }),
    rule('named', 'allow', { key: 'session.sessionId', op: 'eq', value: 's-1' }),
    rule('transfer or auditor', 'deny', named('auditor'), {
      ...{ key: 'input', op: 'contains', value: 'transfer' },
    }),
  ]

  it('find the same, whatever the batching and the order', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans,
        fc.array(fc.nat(), { minLength: 7, maxLength: 7 }),
        fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
        async (given, order, settles) => {
          const whole = await createWorld()
          await judging(whole, rules)
          await send(whole, ...given)
          await whole.pass(0)

          const single = await createWorld()
          await judging(single, rules)
          const shuffled = given
            .map((each, at) => ({ each, by: order[at] ?? 0 }))
            .toSorted((a, b) => a.by - b.by)
          for (const [at, { each }] of shuffled.entries()) {
            await send(single, each)
            if (settles[at]) await single.pass(0)
          }
          await single.pass(0)
          assert.deepEqual(found(single), found(whole))
          const [once, late] = [followed(whole), followed(single)]
          for (const each of once.violations) assert.ok(late.violations.includes(each), each)
          for (const each of once.cases) assert.ok(late.cases.includes(each), each)
          assert.ok(late.flags.length >= once.flags.length)
          assert.equal(new Set(late.cases).size, late.cases.length, 'one case a checkpoint')
          assert.equal(new Set(late.violations).size, late.violations.length, 'one event a result')
        },
      ),
      { numRuns: 40 },
    )
  })

  it('tell a result that ceases and holds again once, though its case is closed by then', async () => {
    const world = await createWorld()
    const { service, admin, owner } = world
    const application = await byNewKey(service, admin, owner.applicationId)
    await judging(world, [
      rule('teller', 'deny', named('teller')),
      rule('asks', 'require_review', named('teller')),
    ])
    const at = (spanId: number, startedAt: number, name: string) =>
      send(world, span({ spanId: spanOf(spanId), startedAt, agent: agent(name) }))
    const results = () => found(world).results.map(([, names]) => names)
    await at(1, start + 3, 'teller')
    const [step] = world.rows(steps)
    const [review] = world.rows(reviewCases)
    assert.ok(step && review)
    assert.deepEqual(followed(world), {
      violations: [`${step.stepId} teller`],
      cases: [step.stepId],
      flags: ['compliance'],
    })
    const reasonCategory = 'end_user_cancelled'
    unwrap(
      await service.reviewCases.cancel(application, {
        reviewCaseId: review.reviewCaseId,
        reasonCategory,
      }),
    )

    await at(2, start + 2, 'auditor')
    await world.pass(0)
    assert.deepEqual(results(), [[], []])
    await at(3, start + 1, 'teller')
    await world.pass(0)
    assert.deepEqual(results(), [
      ['asks', 'teller'],
      ['asks', 'teller'],
      ['asks', 'teller'],
    ])
    const again = world.rows(steps).find(({ stepId }) => stepId === step.stepId)
    assert.deepEqual(again?.policyResults, step.policyResults)
    const { violations, cases } = followed(world)
    assert.equal(violations.length, new Set(violations).size)
    assert.equal(cases.filter((each) => each === step.stepId).length, 1)
    assert.equal(world.rows(sessions)[0]?.tally.deny, 3)
  })

  it('judge stored steps in pieces, each once, though commits fail and runs end midway', async () => {
    let failing = false
    let commits = 0
    const wrap = (store: Store): Store => ({
      ...store,
      commit: async (set) => {
        if (failing && commits++ % 3 === 1) throw new Error('the disk is gone')
        return store.commit(set)
      },
    })
    const world = await createWorld({ wrap })
    await judging(world, [
      rule('teller', 'deny', named('teller')),
      rule('asks', 'require_review', named('teller')),
    ])
    const count = 450
    const plain = Array.from({ length: count }, (_, at) =>
      span({ spanId: spanOf(at + 1), checkpointId: at < 2 ? `pay-${at}` : 'pay' }),
    )
    await send(world, ...plain)
    assert.deepEqual(followed(world), { violations: [], cases: [], flags: [] })
    await send(world, span({ spanId: spanOf(1_000), agent: agent('teller') }))
    failing = true
    for (let runs = 0; runs < 30; runs++) await world.pass(1_000).catch(() => {})
    failing = false
    await world.pass(minute / 2)
    const { violations, cases, flags } = followed(world)
    assert.equal(violations.length, count + 1)
    assert.equal(new Set(violations).size, count + 1)
    assert.deepEqual(flags, ['compliance'])
    assert.deepEqual(cases.slice(1), ['pay', 'pay-0', 'pay-1'])
    const rows = world.rows(steps)
    assert.ok(rows.every(({ policyResults }) => policyResults.length === 2))
    const late = rows.filter(({ policyResults }) => policyResults.every(({ late }) => late))
    assert.equal(late.length, count)
    const [presented] = world.rows(reviewCases).filter((each) => each.checkpointId === 'pay-0')
    assert.equal(presented?.presentation?.late, true)
    assert.equal(world.rows(sessions)[0]?.tally.deny, count + 1)
  })

  it('judge by the versions that are in force, and none that came after the step', async () => {
    const world = await createWorld()
    const { service, admin, owner } = world
    await judging(world, [rule('teller', 'deny', named('teller'))])
    await send(world, span({ spanId: spanOf(1) }))
    const { rules: before, ruleSetVersion } = unwrap(
      await service.policyRules.read(admin, { applicationId: owner.applicationId }),
    )
    unwrap(
      await service.policyRules.set(admin, {
        applicationId: owner.applicationId,
        ruleSetVersion,
        rules: [
          ...before.map((each) => ({ ...each, name: 'changed' })),
          rule('new', 'deny', named('teller')),
        ],
      }),
    )
    await send(world, span({ spanId: spanOf(2), agent: agent('teller') }))
    await world.pass(0)
    assert.deepEqual(
      found(world).results.map(([, names]) => names),
      [[], ['changed', 'new']],
    )
  })

  it('leave earlier seals as they are, and have the session sealed anew', async () => {
    const world = await createWorld()
    await judging(world, [rule('teller', 'deny', named('teller'))])
    await send(world, span({ spanId: spanOf(1) }))
    for (let runs = 0; runs < 3; runs++) await world.pass(minute)
    assert.equal(world.rows(seals).length, 1)
    await send(world, span({ spanId: spanOf(2), agent: agent('teller') }))
    for (let runs = 0; runs < 3; runs++) await world.pass(minute)
    const rows = world.rows(steps)
    assert.deepEqual(
      rows.map(({ policyResults }) => policyResults.map(({ late }) => late === true)),
      [[true], [false]],
    )
    const [session] = world.rows(sessions)
    assert.ok(session)
    const sealed = world.rows(seals)
    assert.equal(sealed.at(-1)?.revision, session.revision)
    for (const { revision, head, leafHash } of sealed)
      assert.ok(head && leafOf(recordOf(session, revision, head, rows)) === leafHash, `${revision}`)
  })
})
