import { existingApplication, takingData } from '../applications/load.ts'
import { refuseErrors } from '../kernel/ledger/input-errors.ts'
import { most } from '../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../kernel/members.ts'
import { command, reading } from '../kernel/operation.ts'
import { mapped, type Query } from '../kernel/query.ts'
import {
  neverSaved,
  ofApplication,
  type PolicyRuleSet,
  policyRuleSets,
  policyRuleVersions,
  savedIn,
  shownPolicyRules,
} from './records.ts'
import { unknownIds } from './rule-ids.ts'
import { faultsOfRules, idsOf } from './rules/faults.ts'
import { saveRules } from './rules/save-rules.ts'
import { givenPolicyRule } from './rules/shapes.ts'
import { withdrawal } from './withdrawal.ts'

const gives = object(shownPolicyRules, 'PolicyRules')

/** The policy rules in force. */
export const readPolicyRules = reading({
  name: 'policyRules.read',
  doc: 'Read the policy rules of an application',
  right: 'readPolicies',
  takes: ofApplication,
  gives,
  refuses: ['not_found'],
  async run({ ask, by: { tenantId } }, { applicationId }) {
    const { set } = await ask({
      application: existingApplication(tenantId, applicationId),
      set: policyRuleSets.get(tenantId, applicationId),
    })
    return showAll(shownPolicyRules, set?.row ?? { ruleSetVersion: 0, rules: [], ...neverSaved })
  },
})

/**
 * Replaces the policy rules; every version is kept. A rule that goes, or no longer requires a review, is withdrawn: its
 * open cases are cancelled (`policy_rule_withdrawn`), but for those that another rule requires.
 */
export const setPolicyRules = command({
  name: 'policyRules.set',
  doc: 'Replace the policy rules; cases of withdrawn rules are cancelled',
  right: 'managePolicies',
  takes: {
    ...ofApplication,
    /** That the caller saw. */
    ruleSetVersion: shownPolicyRules.ruleSetVersion,
    rules: listOf(object(givenPolicyRule), { most: most.policyRules }),
  },
  also: ({ rules }) => faultsOfRules(rules),
  gives,
  refuses: ['not_found', 'application_gone', 'invalid_request', 'version_conflict'],
  async run(unit, { applicationId, ruleSetVersion, rules }) {
    const place = { tenantId: unit.by.tenantId, applicationId }
    const { was } = await unit.ask({
      application: takingData(place.tenantId, applicationId),
      was: policyRuleSets.get(place.tenantId, applicationId),
    })
    const inForce = new Map(was?.row.rules.map(({ ruleId, version }) => [ruleId, version]))
    const former = rules.flatMap(({ ruleId }) =>
      ruleId === undefined || inForce.has(ruleId) ? [] : ruleId,
    )
    const versions = await unit.ask(
      Object.fromEntries(former.map((ruleId) => [ruleId, lastVersion(place, ruleId)])),
    )
    const last = new Map(inForce)
    for (const [ruleId, version] of Object.entries(versions))
      if (version !== null) last.set(ruleId, version)
    const unknown = refuseErrors(unknownIds(idsOf(rules), last, 'rule'))
    if (unknown) unit.orRefuse(unknown)
    const current = was?.row.ruleSetVersion ?? 0
    if (ruleSetVersion !== current)
      unit.refuse(
        'version_conflict',
        `expected ruleSetVersion ${current}, got ${ruleSetVersion}: the rules have changed`,
      )

    const saved = saveRules(place, was?.row ?? null, rules, last, {
      ...savedIn(unit),
      newId: () => unit.id('rule'),
    })
    if (was && !saved.changed) return showAll(shownPolicyRules, was.row)
    unit.put(policyRuleSets, saved.set, was)
    for (const version of saved.versions) unit.put(policyRuleVersions, version)
    for (const ruleId of saved.withdrawn) unit.wake(withdrawal({ ...place, ruleId }, unit.now))
    unit.audit('policy_rules.set', applicationId, {
      ruleSetVersion: saved.set.ruleSetVersion,
      rules: saved.set.rules.length,
      changed: saved.versions.length,
      withdrawn: saved.withdrawn.length,
    })
    return showAll(shownPolicyRules, saved.set)
  },
})

/** Policy rules (interface, Portal host). */
export const policyRuleOperations = [readPolicyRules, setPolicyRules] as const

/** The last version of a rule that the application had once; null where it never had it. */
function lastVersion(
  place: Pick<PolicyRuleSet, 'tenantId' | 'applicationId'>,
  ruleId: string,
): Query<number | null> {
  const versions = policyRuleVersions.by('key', { ...place, ruleId }, { take: 1, newest: true })
  return mapped(versions, ({ rows: [newest] }) => newest?.row.version ?? null)
}
