import { existingApplication, takingData } from '../applications/load.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import { refuseErrors } from '../kernel/ledger/input-errors.ts'
import { most } from '../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import {
  hashKeyContext,
  neverSaved,
  ofApplication,
  redactionPolicySets,
  savedIn,
  shownRedactionPolicies,
} from './records.ts'
import { givenRedactionPolicy } from './redaction/policy.ts'
import { repeatedIds, unknownIds } from './rule-ids.ts'

const { command, reading } = operationsWith<{ readonly sealer: Sealer }>()

const gives = object(shownRedactionPolicies, 'RedactionPolicies')
const hashKeyBytes = 32

/** The redaction policies in force. */
export const readRedactionPolicies = reading({
  name: 'redactionPolicies.read',
  doc: 'Read the redaction policies of an application',
  right: 'readPolicies',
  takes: ofApplication,
  gives,
  refuses: ['not_found'],
  async run({ ask, by: { tenantId } }, { applicationId }) {
    const { set } = await ask({
      application: existingApplication(tenantId, applicationId),
      set: redactionPolicySets.get(tenantId, applicationId),
    })
    return showAll(shownRedactionPolicies, set?.row ?? { policies: [], ...neverSaved })
  },
})

/** Replaces the redaction policies. */
export const setRedactionPolicies = command({
  name: 'redactionPolicies.set',
  doc: 'Replace the redaction policies, which apply before anything is stored',
  right: 'managePolicies',
  takes: {
    ...ofApplication,
    policies: listOf(object(givenRedactionPolicy), { most: most.redactionPolicies }),
  },
  also: ({ policies }) => repeatedIds(idsOf(policies)),
  gives,
  refuses: ['not_found', 'application_gone', 'invalid_request'],
  async run(unit, { applicationId, policies }) {
    const { tenantId } = unit.by
    const { was } = await unit.ask({
      application: takingData(tenantId, applicationId),
      was: redactionPolicySets.get(tenantId, applicationId),
    })
    const known = new Set(was?.row.policies.map(({ redactionPolicyId }) => redactionPolicyId))
    const unknown = refuseErrors(unknownIds(idsOf(policies), known, 'policy'))
    if (unknown) unit.orRefuse(unknown)
    const set = {
      tenantId,
      applicationId,
      policies: policies.map((policy) => ({
        ...policy,
        redactionPolicyId: policy.redactionPolicyId ?? unit.id('red'),
      })),
      hashKey:
        was?.row.hashKey ??
        unit.tools.sealer.seal(
          unit.random.bytes(hashKeyBytes),
          hashKeyContext(tenantId, applicationId),
        ),
      ...savedIn(unit),
    }
    unit.put(redactionPolicySets, set, was)
    unit.audit('redaction_policies.set', applicationId, { policies: policies.length })
    return showAll(shownRedactionPolicies, set)
  },
})

/** Redaction policies (interface, Portal host). */
export const redactionPolicyOperations = [readRedactionPolicies, setRedactionPolicies] as const

function idsOf(
  policies: readonly { readonly redactionPolicyId?: string | undefined }[],
): Parameters<typeof repeatedIds>[0] {
  return {
    ids: policies.map(({ redactionPolicyId }) => redactionPolicyId),
    at: (index) => `/policies/${index}/redactionPolicyId`,
  }
}
