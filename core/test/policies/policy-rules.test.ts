import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditLog } from '@countersign/core/ledger'
import { silentObserver } from '@countersign/core/ports'
import fc from 'fast-check'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { takeAll } from '../../kernel/members.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { type PolicyRuleSet, policyRuleVersions } from '../../policies/records.ts'
import { saveRules } from '../../policies/rules/save-rules.ts'
import {
  type GivenPolicyRule,
  givenPolicyRule,
  type PolicyRuleInput,
} from '../../policies/rules/shapes.ts'
import { createWithdrawal } from '../../policies/withdrawal.ts'
import { decide } from '../../review/machine/machine.ts'
import { reviewCases } from '../../review/records.ts'
import { code, value } from '../organizations/access/fixture.ts'
import { owingOn } from '../owing.ts'
import { people, peopleRows } from './people.ts'
import { createWorld, judgedBy, place } from './world.ts'

const { admin, auditor } = people
const { applicationId } = place

async function withRules() {
  const world = await createWorld()
  await world.store.commit({ tenant: null, puts: peopleRows() })
  const { policyRules } = world.service
  const runner = createRunner({
    ledger: world.ledger,
    clock: world.clock,
    handlers: [createWithdrawal(world.host)],
    owing: owingOn(world.ledger),
    observer: silentObserver,
    options: { owner: 'runner' },
  })
  const save = async (ruleSetVersion: number, rules: readonly PolicyRuleInput[]) =>
    value(await policyRules.set(admin, { applicationId, ruleSetVersion, rules }))
  return { ...world, policyRules, save, withdraw: () => runner.tick() }
}

const transfer: PolicyRuleInput = { name: 'Transfers', effect: 'require_review' }

describe('policy rules of an application', () => {
  it('are empty at first, and then what was saved with all its defaults', async () => {
    const { policyRules, save } = await withRules()
    assert.deepEqual(value(await policyRules.read(auditor, { applicationId })), {
      ruleSetVersion: 0,
      rules: [],
      updatedAt: null,
      updatedBy: null,
    })
    const saved = await save(0, [transfer])
    assert.equal(saved.ruleSetVersion, 1)
    assert.deepEqual(
      { ...saved.rules[0], ruleId: '' },
      {
        ruleId: '',
        version: 1,
        name: 'Transfers',
        enabled: true,
        match: { stepTypes: [], toolNames: [], attributes: [], dataCategories: [] },
        effect: 'require_review',
        severity: 'warning',
        reasonCategory: 'policy_requires_human_review',
        reviewTier: 'standard',
        dueInSeconds: null,
        expiresInSeconds: null,
      },
    )
    assert.deepEqual(value(await policyRules.read(auditor, { applicationId })), saved)
  })

  it('refuse a stale version, an unknown id, a rule that says two things, and whoever is no admin', async () => {
    const { policyRules, save } = await withRules()
    await save(0, [transfer])
    const set = (actor: MemberActor, ruleSetVersion: number, rules: readonly PolicyRuleInput[]) =>
      policyRules.set(actor, { applicationId, ruleSetVersion, rules })
    assert.equal(code(await set(admin, 0, [])), 'version_conflict')
    assert.equal(code(await set(auditor, 1, [])), 'forbidden')
    const wrong: readonly PolicyRuleInput[] = [
      { ...transfer, ruleId: 'rule_unknown' },
      { ...transfer, dueInSeconds: 20, expiresInSeconds: 10 },
      { ...transfer, match: { attributes: [{ key: 'a', op: 'gt', value: 'text' }] } },
      { ...transfer, match: { attributes: [{ key: 'a', op: 'in', value: 'text' }] } },
      { ...transfer, match: { attributes: [{ key: 'a', op: 'exists', value: 1 }] } },
      { ...transfer, name: ' ' },
    ]
    for (const rule of wrong)
      assert.equal(code(await set(admin, 1, [rule])), 'invalid_request', JSON.stringify(rule))
    assert.equal(code(await policyRules.read(admin, { applicationId: 'app_unknown' })), 'not_found')
  })

  it('keep every version, and change nothing when saved as they were read', async () => {
    const { save, rows, store } = await withRules()
    const first = await save(0, [transfer])
    const again = await save(1, first.rules)
    assert.deepEqual(again, first)
    const [rule] = first.rules
    assert.ok(rule)
    await save(1, [{ ...rule, name: 'All transfers' }])
    await save(2, [])
    const back = await save(3, [{ ...transfer, ruleId: rule.ruleId }])
    assert.equal(back.rules[0]?.version, 4)
    assert.deepEqual(
      rows(policyRuleVersions).map(({ row }) => [row.version, row.rule?.name, row.ruleSetVersion]),
      [
        [1, 'Transfers', 1],
        [2, 'All transfers', 2],
        [3, undefined, 3],
        [4, 'Transfers', 4],
      ],
    )
    const [log] = await store.read(place.tenantId, [
      { log: auditLog.name, partition: place.tenantId, after: 0, take: 10 },
    ])
    assert.equal(log?.total, 4)
  })
})

describe('the withdrawal of a rule', () => {
  it('cancels its open cases in pieces, and none of other rules or of the application', async () => {
    const world = await withRules()
    const { rules } = await world.save(0, [transfer, { ...transfer, name: 'Other' }])
    const [gone, stays] = rules
    assert.ok(gone && stays)
    const own = {
      ruleId: gone.ruleId,
      ruleName: null,
      effect: 'require_review',
      reasonCategory: null,
      reviewTier: null,
    } as const
    for (let at = 0; at < 25; at++) await world.enact([judgedBy([gone], { stepId: `gone-${at}` })])
    await world.enact([judgedBy([gone, stays], { stepId: 'both' })])
    await world.enact([judgedBy([gone], { stepId: 'own', ownResults: [own] })])
    await world.enact([judgedBy([stays], { stepId: 'other' })])
    await world.save(1, [stays])
    await world.withdraw()
    const states = new Map(world.cases().map((each) => [each.checkpointId, each]))
    for (let at = 0; at < 25; at++) {
      const each = states.get(`gone-${at}`)
      assert.deepEqual(
        [each?.state, each?.cancellationReason],
        ['cancelled', 'policy_rule_withdrawn'],
      )
    }
    for (const name of ['both', 'own', 'other']) assert.equal(states.get(name)?.state, 'open', name)
    assert.equal(world.events().filter(({ type }) => type === 'review.case.cancelled').length, 25)

    await world.save(2, [])
    await world.withdraw()
    const after = new Map(world.cases().map((each) => [each.checkpointId, each.state]))
    assert.deepEqual(
      ['both', 'own', 'other'].map((name) => after.get(name)),
      ['cancelled', 'open', 'cancelled'],
      'a case of several rules falls with the last',
    )
  })

  it('cancels no case that the application has adopted', async () => {
    const world = await withRules()
    const { rules } = await world.save(0, [transfer])
    for (const stepId of ['adopted', 'other']) await world.enact([judgedBy(rules, { stepId })])
    const adopt = { type: 'adopt', presentation: {}, resumeToken: null, requestedBy: null } as const
    for (const was of world.store.rows(reviewCases)) {
      if (was.row.checkpointId !== 'adopted') continue
      const by = { name: `application:${applicationId}`, memberId: null, admin: false }
      const context = { now: world.clock.now(), by, seen: null, callback: false }
      const decided = decide(was.row, adopt, context)
      assert.ok(decided.kind === 'moved')
      await world.store.commit({ tenant: null, puts: [put(reviewCases, decided.case, was)] })
    }
    await world.save(1, [])
    await world.withdraw()
    assert.deepEqual(
      world
        .cases()
        .map(({ checkpointId, state }) => `${checkpointId} ${state}`)
        .sort(),
      ['adopted open', 'other cancelled'],
    )
  })

  it('takes a rule that denies from now on, and spares one that was only disabled', async () => {
    const world = await withRules()
    const { rules } = await world.save(0, [transfer])
    await world.enact([judgedBy(rules)])
    const disabled = await world.save(
      1,
      rules.map((rule) => ({ ...rule, enabled: false })),
    )
    await world.withdraw()
    assert.equal(world.cases()[0]?.state, 'open')
    await world.save(
      2,
      disabled.rules.map((rule) => ({ ...rule, effect: 'deny' })),
    )
    // Back before the work was done: the cases of before are lost all the same.
    await world.save(3, disabled.rules)
    await world.withdraw()
    assert.equal(world.cases()[0]?.state, 'cancelled')
  })
})

describe('saving rules, over any sequence of sets', () => {
  type Save = typeof saveRules

  function required(set: PolicyRuleSet | null): ReadonlySet<string> {
    const asking = set?.rules.filter(({ effect }) => effect === 'require_review') ?? []
    return new Set(asking.map(({ ruleId }) => ruleId))
  }

  function holds(save: Save, drawn: object = {}): void {
    const draft = fc.record({
      slot: fc.nat(3),
      name: fc.constantFrom('a', 'b'),
      effect: fc.constantFrom('allow', 'require_review'),
    })
    const sets = fc.array(fc.uniqueArray(draft, { maxLength: 3, selector: ({ slot }) => slot }), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(sets, (list) => {
        const ids: string[] = []
        const last = new Map<string, number>()
        const recorded = new Set<string>()
        let made = 0
        let was: PolicyRuleSet | null = null
        for (const [now, drafts] of list.entries()) {
          const rules = drafts.map(({ slot, name, effect }): GivenPolicyRule => {
            const ruleId = ids[slot]
            const rule = { name, effect: effect as 'allow', ...(ruleId ? { ruleId } : {}) }
            return takeAll(givenPolicyRule, rule)
          })
          const saved: ReturnType<Save> = save(place, was, rules, last, {
            updatedAt: now,
            updatedBy: 'x',
            newId: () => `rule_${made++}`,
          })
          for (const [at, { slot }] of drafts.entries())
            ids[slot] = saved.set.rules[at]?.ruleId ?? ''
          for (const { ruleId, version } of saved.versions) {
            const key = `${ruleId} ${version}`
            assert.ok(!recorded.has(key), 'a version is recorded once')
            recorded.add(key)
            assert.equal(version, (last.get(ruleId) ?? 0) + 1, 'versions have no gap')
            last.set(ruleId, version)
          }
          for (const { ruleId, version } of saved.set.rules)
            assert.equal(version, last.get(ruleId), 'the rule in force is the last version')
          const before = required(was)
          const after = required(saved.set)
          assert.deepEqual(
            [...saved.withdrawn].sort(),
            [...before].filter((id) => !after.has(id)).sort(),
          )
          was = saved.set
        }
      }),
      drawn,
    )
  }

  it('numbers versions without gaps and withdraws what no longer requires a review', () =>
    holds(saveRules))

  it('is told from savers that forget', () => {
    const mutants: Readonly<Record<string, Save>> = {
      'of what a rule was before': (at, was, input, _, made) =>
        saveRules(at, was, input, new Map(), made),
      'of rules that are gone': (at, was, input, last, made) => {
        const saved = saveRules(at, was, input, last, made)
        const there = new Set(saved.set.rules.map(({ ruleId }) => ruleId))
        return { ...saved, withdrawn: saved.withdrawn.filter((id) => there.has(id)) }
      },
    }
    // Drawn alike in every run: whether chance finds a mutant is no news.
    for (const [name, mutant] of Object.entries(mutants))
      assert.throws(() => holds(mutant, { seed: 1 }), name)
  })
})
