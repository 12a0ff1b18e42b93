import { memberIdOf } from '../access/actor.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTimeOrNull } from '../ledger/iso-time.ts'
import { answer, commit, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { list, many, one, put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import { schedule, workItems } from '../work/records.ts'
import { checkRules } from './check-input.ts'
import type { SignalDeps } from './deps.ts'
import { executeOnApplication, readOfApplication } from './execute-on-application.ts'
import { plainRule, saveRules } from './policy/save-rules.ts'
import { type PolicyRuleSet, policyRuleSets, policyRuleVersions } from './records.ts'
import type { SignalUseCases } from './use-cases.ts'
import type { PolicyRuleInput, PolicyRulesView } from './view.ts'
import { withdrawalItem, withdrawalOf } from './withdrawal.ts'

export function readPolicyRules(deps: SignalDeps): SignalUseCases['readPolicyRules'] {
  return async (actor, applicationId) => {
    const found = await readOfApplication(deps, actor, applicationId, policyRuleSets)
    return found.ok ? ok(rulesView(found.value?.row ?? null)) : found
  }
}

export function setPolicyRules(deps: SignalDeps): SignalUseCases['setPolicyRules'] {
  return (actor, applicationId, { ruleSetVersion, rules }) =>
    executeOnApplication(
      deps,
      { actor, applicationId, collection: policyRuleSets, errors: checkRules(rules) },
      async ({ unit, tenantId, was, by, audited }) => {
        const current = was?.row.ruleSetVersion ?? 0
        const place = { tenantId, applicationId }
        const lastVersion = await readLastVersions(unit, place, was?.row ?? null, rules)
        const unknown = refuseErrors(unknownIds(rules, lastVersion))
        if (unknown) return refusal(unknown)
        if (ruleSetVersion !== current)
          return refusal(
            refuse(
              'version_conflict',
              `expected ruleSetVersion ${current}, got ${ruleSetVersion}: the rules have changed`,
            ),
          )
        const saved = saveRules(place, was?.row ?? null, rules, lastVersion, {
          now: unit.now,
          by,
          newId: () => unit.id('rule'),
        })
        if (was && !saved.changed) return answer(rulesView(was.row))
        const items = await unit.read(
          saved.withdrawn.map((ruleId) => withdrawalOf(applicationId, ruleId)),
        )
        return commit(
          {
            puts: [
              put(policyRuleSets, saved.set, was),
              ...saved.versions.map((version) => put(policyRuleVersions, version, null)),
              ...saved.withdrawn.map((ruleId, at) =>
                schedule(withdrawalItem({ ...place, ruleId }, unit.now), one(workItems, items[at])),
              ),
            ],
            appends: [
              audited('policy_rules.set', {
                ruleSetVersion: saved.set.ruleSetVersion,
                rules: saved.set.rules.length,
                changed: saved.versions.length,
                withdrawn: saved.withdrawn.length,
              }),
            ],
          },
          rulesView(saved.set),
        )
      },
    )
}

/** The last version of each rule named: of those in force, and of those that the application had once. */
async function readLastVersions(
  unit: UnitOfWork,
  { tenantId, applicationId }: Pick<PolicyRuleSet, 'tenantId' | 'applicationId'>,
  was: PolicyRuleSet | null,
  rules: readonly PolicyRuleInput[],
): Promise<ReadonlyMap<string, number>> {
  const last = new Map(was?.rules.map(({ ruleId, version }) => [ruleId, version]))
  const former = rules.flatMap(({ ruleId }) =>
    ruleId === undefined || last.has(ruleId) ? [] : ruleId,
  )
  const found = await unit.read(
    former.map((ruleId) =>
      list(policyRuleVersions, {
        where: [
          ['tenantId', '=', tenantId],
          ['applicationId', '=', applicationId],
          ['ruleId', '=', ruleId],
        ],
        newest: true,
        take: 1,
      }),
    ),
  )
  for (const each of found) {
    const [newest] = many(policyRuleVersions, each)
    if (newest) last.set(newest.row.ruleId, newest.row.version)
  }
  return last
}

function unknownIds(rules: readonly PolicyRuleInput[], known: ReadonlyMap<string, number>) {
  return rules.flatMap(({ ruleId }, at) =>
    ruleId === undefined || known.has(ruleId)
      ? []
      : [
          wrong(
            `/rules/${at}/ruleId`,
            'expected the id of a rule of this application, or none for a new rule',
          ),
        ],
  )
}

function rulesView(set: PolicyRuleSet | null): PolicyRulesView {
  return {
    ruleSetVersion: set?.ruleSetVersion ?? 0,
    rules: set?.rules.map(plainRule) ?? [],
    updatedAt: isoTimeOrNull(set?.updatedAt ?? null),
    updatedBy: set ? memberIdOf(set.updatedBy) : null,
  }
}
