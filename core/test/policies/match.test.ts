import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { atOnce, createSlices } from '../../base/json/in-slices.ts'
import { stepTypes } from '../../content/span.ts'
import { judgeSession, judgeStep } from '../../policies/rules/judge.ts'
import { compileRule } from '../../policies/rules/match.ts'
import {
  type Condition,
  type Match,
  type Operator,
  operators,
  type Scalar,
  type SessionFacts,
  type StepFacts,
} from '../../policies/rules/shapes.ts'
import { policyRule, sessionFacts, stepFacts } from './facts.ts'

const session = sessionFacts()
const anything: Match = { stepTypes: [], toolNames: [], attributes: [], dataCategories: [] }

function holds(condition: Condition, step: Partial<StepFacts> = {}): boolean {
  const rule = policyRule({ match: { ...anything, attributes: [condition] } })
  return compile(rule).matches(stepFacts(step), session)
}

type Compile = (rule: { readonly match: Match }) => {
  readonly matches: (step: StepFacts, session: SessionFacts) => boolean
}

const compile: Compile = ({ match }) => {
  const rule = compileRule(policyRule({ match }))
  return {
    matches(step, session) {
      const applies = atOnce(rule.appliesInSlices(step, session, createSlices()))
      return applies === 'by session' ? rule.holdsOf(session) : applies === 'yes'
    },
  }
}

const scalar: fc.Arbitrary<Scalar> = fc.constantFrom<Scalar[]>(1, 2, 'a', 'b', 'ab', '2', false)
const scalars = fc.array(scalar, { maxLength: 2 })
const often = 4
const fact = fc.oneof(
  { arbitrary: scalar, weight: often },
  { arbitrary: scalars, weight: 1 },
  { arbitrary: fc.constantFrom(null, undefined), weight: 1 },
)
const valued = fc.oneof({ arbitrary: scalar, weight: often }, { arbitrary: scalars, weight: 1 })
const condition: fc.Arbitrary<Condition> = fc.record({
  key: fc.constantFrom('x', 'y'),
  op: fc.constantFrom(...operators),
  value: valued,
})
const few = { maxLength: 2 }
const match: fc.Arbitrary<Match> = fc.record({
  stepTypes: fc.subarray([...stepTypes]),
  toolNames: fc.array(fc.constantFrom('pay*', '*', 'mail.?end'), few),
  attributes: fc.array(condition, few),
  dataCategories: fc.subarray(['health', 'financial']),
})
const step = fc
  .record({
    type: fc.constantFrom(...stepTypes),
    toolName: fc.constantFrom(null, 'pay', 'pays', 'mail.send'),
    dataCategories: fc.subarray(['health', 'financial', 'other']),
    x: fact,
    y: fact,
  })
  .map(({ x, y, ...given }) => stepFacts({ ...given, attributes: { x, y } }))

/** The interface's words, by regular expressions and native methods. */
function expected(
  { stepTypes: types, toolNames, attributes, dataCategories }: Match,
  of: StepFacts,
) {
  const tool = (glob: string) =>
    of.toolName !== null &&
    new RegExp(
      `^${glob.replace(/[.*?]/g, (sign) => ({ '.': '\\.', '*': '.*', '?': '.' })[sign] ?? sign)}$`,
    ).test(of.toolName)
  return (
    (types.length === 0 || types.includes(of.type)) &&
    (toolNames.length === 0 || toolNames.some(tool)) &&
    (dataCategories.length === 0 ||
      dataCategories.some((one) => of.dataCategories.includes(one))) &&
    (attributes.length === 0 || attributes.some((one) => meets(one, of.attributes[one.key])))
  )
}

function meets({ op, value }: Condition, found: unknown): boolean {
  const present = found !== undefined && found !== null
  if (op === 'exists') return value === false ? !present : present
  if (op === 'ne') return !present || found !== value
  const among = (Array.isArray(value) ? value : [value]).some((one) => one === found)
  if (op === 'not_in') return !present || !among
  if (!present) return false
  if (op === 'eq') return found === value
  if (op === 'in') return among
  if (op === 'contains' && Array.isArray(found)) return found.some((one) => one === value)
  if (typeof found === 'string' && typeof value === 'string')
    switch (op) {
      case 'contains':
        return found.includes(value)
      case 'starts_with':
        return found.slice(0, value.length) === value
      case 'glob':
        return found === value
      default:
        return false
    }
  if (typeof found === 'number' && typeof value === 'number') {
    const sign = Math.sign(found - value)
    const signs = { gt: [1], gte: [0, 1], lt: [-1], lte: [0, -1] }
    return Object.hasOwn(signs, op) && signs[op as keyof typeof signs].includes(sign)
  }
  return false
}

/** How an operator sees a fact, and how facts are drawn. */
interface Seen {
  readonly seen?: (found: unknown) => unknown
  readonly seed?: number
}

function agrees(candidate: Compile): void {
  fc.assert(
    fc.property(match, step, (given, facts) => {
      assert.equal(candidate({ match: given }).matches(facts, session), expected(given, facts))
    }),
    { numRuns: 2_000 },
  )
}

describe('policy rules', () => {
  it('match as the interface says', () => agrees(compile))

  it('are told from rules that match differently', () => {
    const each =
      (change: (match: Match, step: StepFacts) => readonly [Match, StepFacts]): Compile =>
      ({ match: given }) => ({
        matches: (facts, of) => {
          const [changed, seen] = change(given, facts)
          return compile({ match: changed }).matches(seen, of)
        },
      })
    const mutants: Readonly<Record<string, Compile>> = {
      'lists are and-ed': ({ match: given }) => ({
        matches: (facts, of) =>
          compile({ match: { ...given, attributes: [] } }).matches(facts, of) &&
          given.attributes.every((one) =>
            compile({ match: { ...anything, attributes: [one] } }).matches(facts, of),
          ),
      }),
      'tools are left out': each((given, facts) => [{ ...given, toolNames: [] }, facts]),
      'types are left out': each((given, facts) => [{ ...given, stepTypes: [] }, facts]),
    }
    for (const [name, mutant] of Object.entries(mutants)) assert.throws(() => agrees(mutant), name)
  })

  it('meet each operator as the interface says, and not as others', () => {
    const agreesOn = (
      op: Operator,
      taken: Operator = op,
      { seen = (found: unknown) => found, ...drawn }: Seen = {},
    ) =>
      fc.assert(
        fc.property(valued, fact, (value, found) => {
          const facts = { attributes: { x: seen(found) } }
          assert.equal(
            holds({ key: 'x', op: taken, value }, facts),
            meets({ key: 'x', op, value }, found),
          )
        }),
        { numRuns: 1_000, ...drawn },
      )
    for (const op of operators) agreesOn(op)
    const swapped = [
      ['gte', 'gt'],
      ['lt', 'lte'],
      ['in', 'eq'],
      ['not_in', 'ne'],
      ['contains', 'starts_with'],
      ['glob', 'starts_with'],
    ] as const
    // Drawn alike in every run: whether chance finds a mutant is no news.
    for (const [op, other] of swapped) assert.throws(() => agreesOn(op, other, { seed: 1 }), op)
    const seen = (found: unknown) => found ?? 'null'
    assert.throws(() => agreesOn('exists', 'exists', { seen, seed: 1 }))
  })

  it('read members, session members, metadata and scores; a member hides an attribute of its name', () => {
    const of = (key: string, value: Scalar) => ({ key, op: 'eq', value }) as const
    assert.ok(holds(of('status', 'error'), { status: 'error', attributes: { status: 'ok' } }))
    assert.ok(holds(of('durationMs', 250)))
    assert.ok(holds(of('agent.name', 'teller')))
    assert.ok(holds(of('session.origin', 'otlp')))
    assert.ok(holds(of('session.metadata.region', 'eu')))
    assert.ok(!holds(of('session.region', 'eu')))
    const scores = [
      { name: 'toxicity', value: 0.2, label: null },
      { name: 'toxicity', value: 0.9, label: 'high' },
    ]
    assert.ok(holds(of('score.toxicity', 0.9), { scores }))
    assert.ok(!holds(of('constructor', 'x')))
    assert.ok(holds({ key: '__proto__', op: 'exists', value: false }))
    const input = { messages: ['wire 5000'] }
    assert.ok(holds({ key: 'input', op: 'contains', value: 'wire 5000' }, { input }))
  })
})

describe('a judgement', () => {
  const judge = (
    rules: readonly Parameters<typeof policyRule>[0][],
    given: Partial<StepFacts> = {},
  ) =>
    atOnce(
      judgeStep(
        rules.map((rule) => compileRule(policyRule(rule))),
        stepFacts(given),
        session,
        5_000,
        createSlices(),
      ),
    )

  it('records every rule that matches, in order, and none that is disabled', () => {
    const { results, demand } = judge([
      { ruleId: 'rule_a', effect: 'allow', version: 4 },
      { ruleId: 'rule_b', effect: 'deny', enabled: false },
      { ruleId: 'rule_c', effect: 'deny', severity: 'critical' },
    ])
    assert.deepEqual(
      results.map(({ ruleId, ruleVersion, effect, severity }) => [
        ruleId,
        ruleVersion,
        effect,
        severity,
      ]),
      [
        ['rule_a', 4, 'allow', 'warning'],
        ['rule_c', 1, 'deny', 'critical'],
      ],
    )
    assert.equal(demand, null)
  })

  it('demands one case with the terms of the severest tier, the first of several', () => {
    const { demand } = judge([
      { ruleId: 'rule_a', reviewTier: 'high', dueInSeconds: 60 },
      { ruleId: 'rule_b', reviewTier: 'urgent', dueInSeconds: 10, expiresInSeconds: 20 },
      { ruleId: 'rule_c', reviewTier: 'urgent', dueInSeconds: 30 },
    ])
    assert.deepEqual(demand, {
      checkpointId: 'step-1',
      resumeToken: null,
      reasonCategory: 'policy_requires_human_review',
      reviewTier: 'urgent',
      dueInSeconds: 10,
      expiresInSeconds: 20,
    })
  })

  it('takes the step’s checkpoint, else the step; a session’s own is the session', () => {
    assert.equal(judge([{}], { checkpointId: 'cp-9' }).demand?.checkpointId, 'cp-9')
    const own = {
      ruleId: 'mine',
      ruleName: null,
      effect: 'require_review',
      reasonCategory: null,
      reviewTier: 'high',
    } as const
    const judgement = judgeSession([own], session, 5_000)
    assert.equal(judgement.demand?.checkpointId, 'session-1')
    assert.equal(judgement.results[0]?.stepId, null)
  })

  it('counts the application’s own results alike', () => {
    const ownResults = [
      {
        ruleId: 'mine',
        ruleName: null,
        effect: 'require_review',
        reasonCategory: 'high_risk_action',
        reviewTier: 'urgent',
      },
    ] as const
    const { results, demand } = judge([{ reviewTier: 'high' }], { ownResults })
    assert.deepEqual(results[1], {
      ruleId: 'mine',
      ruleVersion: null,
      ruleName: 'mine',
      effect: 'require_review',
      severity: 'warning',
      source: 'application',
      stepId: 'step-1',
      matchedAt: 5_000,
      reviewCaseId: null,
    })
    assert.equal(demand?.reviewTier, 'urgent')
    assert.equal(demand?.reasonCategory, 'high_risk_action')
  })
})
