import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answer } from '@countersign/core/ledger'
import { plainSealer } from '@countersign/core/testing'
import { createSlices, type Slices, sliceSize } from '../../base/json/in-slices.ts'
import type { Pseudonyms } from '../../content/vault/vault.ts'
import { consequenceReads, consequencesOf } from '../../policies/consequences.ts'
import { createRedactor } from '../../policies/redaction/redact.ts'
import { judgeStep } from '../../policies/rules/judge.ts'
import { compileRule } from '../../policies/rules/match.ts'
import type { PolicyRule } from '../../policies/rules/shapes.ts'
import { type Signals, signalsFrom } from '../../policies/signals.ts'
import { judgeSteps } from '../../sessions/accept/judge-steps.ts'
import { newSession } from '../../sessions/session-state.ts'
import { incomingSession } from '../../sessions/submission/incoming-session.ts'
import type { Leaf } from '../../sessions/submission/leaf.ts'
import { judgeSubmitted } from '../../sessions/submission/store-submitted.ts'
import type { SubmittedSession } from '../../sessions/submission/submitted.ts'
import { fanOutInSlices } from '../../webhooks/routing/fan-out.ts'
import { policyRule } from '../policies/facts.ts'
import { createWorld, judgedBy, place, session } from '../policies/world.ts'

const pseudonyms = {
  subjectOf: () => assert.fail('no step names a subject'),
} as unknown as Pseudonyms
const unpaused: Slices = { spend: () => false }

/** Runs work to its end; the most that `count` rose by between two pauses. */
function walk<T>(work: Generator<undefined, T>, count: () => number): { value: T; most: number } {
  let most = 0
  for (;;) {
    const before = count()
    const step = work.next()
    most = Math.max(most, count() - before)
    if (step.done) return { value: step.value, most }
  }
}

const time = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:05Z' }
const submitted = (steps: number): SubmittedSession => ({
  ...{ sessionId: 's-1', status: 'completed', ...time },
  steps: Array.from({ length: steps }, (_, at) => ({
    ...{ stepId: `step-${at}`, type: 'llm', name: 'think', status: 'ok', ...time },
    input: 'What? '.repeat(20),
  })),
})

function incoming(given: SubmittedSession, slices: Slices = unpaused): Leaf['session'] {
  return walk(incomingSession(given, pseudonyms, slices), () => 0).value
}

const rulesOf = (count: number, given: Partial<PolicyRule>) =>
  Array.from({ length: count }, (_, at) => policyRule({ ruleId: `rule_${at}`, ...given }))
const attribute = (key: string, value: string) =>
  ({ key, op: 'contains', value }) as PolicyRule['match']['attributes'][number]

/** Steps that are judged between two pauses at most. */
function judgedAtOnce(rules: readonly PolicyRule[], effort?: Signals['effort']): number {
  const found = [rules.length === 0 ? [] : [{ row: { rules }, version: 1, leasedBy: null }], [], []]
  const key = { ...place, sessionId: 's-1' }
  const signals = signalsFrom(
    key,
    found.map((rows) => ({ rows, total: null })),
    plainSealer(),
  )
  let judged = 0
  const counting: Signals = {
    ...signals,
    ...(effort ? { effort } : {}),
    judgeStep: (...given) => {
      judged++
      return signals.judgeStep(...given)
    },
  }
  const leaf = { session: incoming(submitted(600)), text: new Uint8Array(), leafHash: '' }
  const { most } = walk(judgeSubmitted(counting, key, leaf, 0, createSlices()), () => judged)
  assert.equal(judged, 600)
  return most
}

describe('work between two pauses', () => {
  it('is fewer steps the more rules judge them, and the more content these read', () => {
    const without = judgedAtOnce([])
    assert.ok(without <= sliceSize / 512, `${without} steps`)
    const byName = rulesOf(200, {
      match: { stepTypes: [], toolNames: ['pay*'], attributes: [], dataCategories: [] },
    })
    const named = judgedAtOnce(byName)
    assert.ok(named * byName.length < 4_000, `${named} steps by ${byName.length} rules`)
    const reading = rulesOf(50, {
      match: {
        ...{ stepTypes: [], toolNames: [], dataCategories: [] },
        attributes: [attribute('input', 'x'.repeat(100))],
      },
    })
    const read = judgedAtOnce(reading)
    const characters = read * reading.length * 'What? '.repeat(20).length
    assert.ok(characters < sliceSize, `${characters} characters in ${read} steps`)
    const uncounted = judgedAtOnce(byName, (size) => size)
    assert.ok(uncounted * byName.length > 20_000, 'finds judging that counts content alone')
  })

  it('is a part of a large content, however many policies and rules read it', () => {
    const key = { ...place, sessionId: 's-1' }
    const text = '49 170 123 '.repeat(16_000)
    const detected = ['email', 'phone', 'iban', 'payment_card', 'ip_address'] as const
    const policies = Array.from({ length: 50 }, (_, at) => ({
      ...{ redactionPolicyId: `red_${at}`, name: 'p', enabled: true },
      ...{ stepTypes: [], fields: [], keys: [] },
      detect: detected[at % 5] ?? 'email',
      action: at % 2 ? ('hash' as const) : ('mask' as const),
    }))
    const rules = rulesOf(4, {
      match: {
        ...{ stepTypes: [], toolNames: [], dataCategories: [] },
        attributes: Array.from({ length: 10 }, () => attribute('input', `${'1'.repeat(100)}x`)),
      },
    }).map(compileRule)
    // What is read and written between two pauses, by the content's own account.
    let spent = 0
    const counted = (slices: Slices): Slices => ({
      spend: (size) => {
        spent += size
        return slices.spend(size)
      },
    })
    const work = (slices: Slices) => {
      const redactor = createRedactor(policies, new Uint8Array(32))
      const plain = signalsFrom(
        key,
        [[], [], []].map((rows) => ({ rows, total: null })),
        plainSealer(),
      )
      const signals: Signals = {
        ...plain,
        effort: (size) => size,
        redactor,
        judgeStep: (facts, about, now, given) => judgeStep(rules, facts, about, now, given),
      }
      const given = submitted(1)
      const session = incoming({
        ...given,
        steps: given.steps.map((step) => ({ ...step, input: text, output: [text] })),
      })
      const step = session.steps[0] ?? assert.fail('a step')
      const leaf = { session, text: new Uint8Array(), leafHash: '' }
      const row = newSession(key, { origin: 'otlp', startedAt: 0, now: 0 })
      spent = 0
      return [
        walk(judgeSubmitted(signals, key, leaf, 0, counted(slices)), () => spent).most,
        walk(judgeSteps(signals, [step], row, 0, counted(slices)), () => spent).most,
      ]
    }
    for (const most of work(createSlices())) {
      assert.ok(most > text.length, 'cutting to limits counts the content as one')
      assert.ok(most < 3 * text.length, `${most} characters`)
    }
    for (const most of work(unpaused)) assert.ok(most > 10 * text.length)
  })

  it('is a few dozen review cases, and as few deliveries of their events', async () => {
    const world = await createWorld()
    const judged = Array.from({ length: 300 }, (_, at) =>
      judgedBy([policyRule(), policyRule({ ruleId: 'rule_deny', effect: 'deny' })], {
        stepId: `step-${at}`,
      }),
    )
    await world.ledger.execute(place.tenantId, async (unit) => {
      let ids = 0
      const counted = {
        ...unit,
        id: (prefix: Parameters<typeof unit.id>[0]) => {
          ids++
          return unit.id(prefix)
        },
      }
      const scene = await world.sceneOf(counted)
      const found = await unit.read(consequenceReads(session, judged))
      const entail = (slices: Slices) =>
        walk(consequencesOf(world.host, scene, session, judged, found, slices), () => ids)
      const entailed = entail(createSlices())
      assert.equal(entailed.value.reviewCaseIds.length, judged.length)
      // A case takes an id, and its event one; a denial's event one.
      assert.ok(entailed.most <= sliceSize / 512, `${entailed.most} ids`)
      assert.ok(entail(unpaused).most > 3 * judged.length)
      const { events } = entailed.value
      const fan = (slices: Slices) =>
        walk(
          fanOutInSlices(
            {
              ...scene,
              ...place,
              events,
              now: unit.now,
              id: counted.id,
              intake: world.host.intake,
            },
            slices,
          ),
          () => ids,
        )
      const owed = fan(createSlices())
      assert.ok(owed.value.puts.length >= 2 * events.length)
      assert.ok(owed.most <= sliceSize / 512, `${owed.most} deliveries`)
      assert.equal(fan(unpaused).most, events.length)
      return answer(null)
    })
  })

  it('looks at each result and score of a submitted session once', () => {
    let looks = 0
    const counted = <T extends object>(given: T, stepId: string | null) =>
      Object.defineProperty({ ...given }, 'stepId', {
        get: () => {
          looks++
          return stepId
        },
      }) as T & { readonly stepId: string | null }
    const given = submitted(300)
    const ids = given.steps.map(({ stepId }) => stepId)
    const read = incoming({
      ...given,
      policyResults: [...ids, null].map((id) =>
        counted({ ruleId: `r-${id}`, effect: 'allow' }, id),
      ),
      scores: [...ids, null].map((id) => counted({ name: `n-${id}`, value: 1 }, id)),
    })
    assert.ok(looks <= 2 * (2 * ids.length + 2), `${looks} looks`)
    for (const { facts } of read.steps) {
      assert.deepEqual(
        [facts.ownResults.map(({ ruleId }) => ruleId), facts.scores.map(({ name }) => name)],
        [[`r-${facts.stepId}`], [`n-${facts.stepId}`]],
      )
    }
    assert.deepEqual([read.ownResults[0]?.ruleId, read.scores[0]?.name], ['r-null', 'n-null'])
    assert.deepEqual([read.ownResults.length, read.scores.length], [1, 1])
  })
})
