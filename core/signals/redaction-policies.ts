import { memberIdOf } from '../access/actor.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTimeOrNull } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import { checkPolicies } from './check-input.ts'
import type { SignalDeps } from './deps.ts'
import { executeOnApplication, readOfApplication } from './execute-on-application.ts'
import { hashKeyContext, type RedactionPolicySet, redactionPolicySets } from './records.ts'
import type { SignalUseCases } from './use-cases.ts'
import type { RedactionPoliciesView } from './view.ts'

const hashKeyBytes = 32

export function readRedactionPolicies(deps: SignalDeps): SignalUseCases['readRedactionPolicies'] {
  return async (actor, applicationId) => {
    const found = await readOfApplication(deps, actor, applicationId, redactionPolicySets)
    return found.ok ? ok(policiesView(found.value?.row ?? null)) : found
  }
}

export function setRedactionPolicies(deps: SignalDeps): SignalUseCases['setRedactionPolicies'] {
  const { random, sealer } = deps
  return (actor, applicationId, { policies }) => {
    const errors = checkPolicies(policies)
    const asked = { actor, applicationId, collection: redactionPolicySets, errors }
    return executeOnApplication(deps, asked, ({ unit, tenantId, was, by, audited }) => {
      const known = new Set(was?.row.policies.map(({ redactionPolicyId }) => redactionPolicyId))
      const unknown = refuseErrors(
        policies.flatMap(({ redactionPolicyId: id }, at) =>
          id === undefined || known.has(id)
            ? []
            : [
                wrong(
                  `/policies/${at}/redactionPolicyId`,
                  'expected the id of a policy of this application, or none for a new policy',
                ),
              ],
        ),
      )
      if (unknown) return refusal(unknown)
      const set: RedactionPolicySet = {
        tenantId,
        applicationId,
        policies: policies.map((policy) => ({
          redactionPolicyId: policy.redactionPolicyId ?? unit.id('red'),
          name: policy.name.trim(),
          enabled: policy.enabled ?? true,
          stepTypes: policy.stepTypes ?? [],
          fields: policy.fields ?? [],
          keys: policy.keys ?? [],
          detect: policy.detect,
          action: policy.action,
        })),
        hashKey:
          was?.row.hashKey ??
          sealer.seal(random.bytes(hashKeyBytes), hashKeyContext(tenantId, applicationId)),
        updatedAt: unit.now,
        updatedBy: by,
      }
      const appends = [audited('redaction_policies.set', { policies: set.policies.length })]
      return commit({ puts: [put(redactionPolicySets, set, was)], appends }, policiesView(set))
    })
  }
}

function policiesView(set: RedactionPolicySet | null): RedactionPoliciesView {
  return {
    policies: set?.policies ?? [],
    updatedAt: isoTimeOrNull(set?.updatedAt ?? null),
    updatedBy: set ? memberIdOf(set.updatedBy) : null,
  }
}
