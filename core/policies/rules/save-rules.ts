import { digestOf } from '../../base/canonical/digest.ts'
import type { PolicyRuleSet, PolicyRuleVersion, RuleInForce } from '../records.ts'
import type { GivenPolicyRule, PolicyRule } from './shapes.ts'

/** A rule set after its owner saved it. */
export interface SavedRules {
  readonly set: PolicyRuleSet
  /** Versions to record. */
  readonly versions: readonly PolicyRuleVersion[]
  /** Rules that no longer require a review: those of their cases that no other rule requires are cancelled. */
  readonly withdrawn: readonly string[]
  readonly changed: boolean
}

/** The rule as it is shown and recorded. */
export function plainRule({ requiresSince: _, ...rule }: RuleInForce): PolicyRule {
  return rule
}

/**
 * Saves a rule set. A rule without id is new; one that changed, was removed or came back takes its next version.
 * `lastVersion`: of every rule that the application has or had. The input is checked, and each of its ids is known.
 */
export function saveRules(
  place: Pick<PolicyRuleSet, 'tenantId' | 'applicationId'>,
  was: PolicyRuleSet | null,
  input: readonly GivenPolicyRule[],
  lastVersion: ReadonlyMap<string, number>,
  made: Pick<PolicyRuleSet, 'updatedAt' | 'updatedBy'> & { readonly newId: () => string },
): SavedRules {
  const { newId, ...saved } = made
  const before = new Map(was?.rules.map((rule) => [rule.ruleId, rule]))
  const rules = input.map((given): RuleInForce => {
    const old = given.ruleId === undefined ? undefined : before.get(given.ruleId)
    const ruleId = given.ruleId ?? newId()
    const last = old?.version ?? lastVersion.get(ruleId) ?? 0
    const same = old !== undefined && sameRule({ ...given, ruleId, version: last }, plainRule(old))
    const rule = { ...given, ruleId, version: same ? last : last + 1 }
    const requires = rule.effect === 'require_review'
    return { ...rule, requiresSince: requires ? (old?.requiresSince ?? rule.version) : null }
  })
  const after = new Map(rules.map((rule) => [rule.ruleId, rule]))
  const gone = [...before.values()].filter(({ ruleId }) => !after.has(ruleId))
  const set: PolicyRuleSet = {
    ...place,
    ruleSetVersion: (was?.ruleSetVersion ?? 0) + 1,
    rules,
    ...saved,
  }
  const record = (ruleId: string, version: number, rule: PolicyRule | null): PolicyRuleVersion => ({
    ...place,
    ruleId,
    version,
    rule,
    ruleSetVersion: set.ruleSetVersion,
    recordedAt: saved.updatedAt,
    recordedBy: saved.updatedBy,
  })
  return {
    set,
    versions: [
      ...rules
        .filter(({ ruleId, version }) => before.get(ruleId)?.version !== version)
        .map((rule) => record(rule.ruleId, rule.version, plainRule(rule))),
      ...gone.map(({ ruleId, version }) => record(ruleId, version + 1, null)),
    ],
    withdrawn: [...before.values()]
      .filter(({ ruleId, requiresSince }) => {
        const still = after.get(ruleId)?.requiresSince ?? null
        return requiresSince !== null && still === null
      })
      .map(({ ruleId }) => ruleId),
    changed: was === null || !sameRule(rules, was.rules),
  }
}

function sameRule(a: unknown, b: unknown): boolean {
  return digestOf(a) === digestOf(b)
}
