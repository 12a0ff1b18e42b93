import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { longest, most } from '../../kernel/ledger/limits.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { line, type Named, name, type OutOf, type OutsOf, pattern } from '../../kernel/shape.ts'
import { fromOne } from '../../kernel/usual.ts'
import { optional } from '../../kernel/wrap.ts'
import { organizationOf } from '../access/organization.ts'
import { type Tenant, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { tellAdmins } from '../members/tell-admins.ts'
import { changeAssertion } from './assertion.ts'
import { modelsOf, noModel, widens } from './signing-models.ts'
import { ownOf, proveWeakening } from './unit.ts'

const { command, reading } = operationsWith<AccessTools>()

const aaguid = pattern(
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'a UUID in lower case',
  longest.id,
)
const model = { aaguid, label: name(longest.label) }
const models = listOf(object(model), { most: most.signingModels })

const shown = {
  /** Rises with each change of the list. */
  version: fromOne,
  /** Empty: any. */
  models: listOf(object(model, 'SigningModel')),
  /** Models whose attestations this service verifies, so that they can be listed. */
  verifiable: listOf(line(longest.id)),
}
/** Models of authenticators that sign decisions of an organization. */
export interface SigningModelsView extends OutsOf<typeof shown> {}
const signingModelsShape: Named<typeof shown, SigningModelsView> = object(shown, 'SigningModels')

/** Models of authenticators that sign decisions. */
export const readSigningModels = reading({
  name: 'signingModels.read',
  doc: 'Read of which models authenticators must be that sign decisions',
  right: 'readMembers',
  takes: {},
  gives: signingModelsShape,
  refuses: ['not_found'],
  async run({ ask, by, tools }) {
    const { tenant } = await ask({ tenant: organizationOf(by.tenantId) })
    return viewOf(tenant.row, tools)
  },
})

/**
 * Sets of which models authenticators must be that sign decisions: they are enrolled with an attestation, and others sign
 * no more. Each change of who signs is mailed to all admins, a label or the order alone is not; what lets another one sign
 * takes an assertion of the admin's own authenticator, for the statement of a change `weaken` of the organization to this
 * very list. With the `version` that the caller saw, a list that another admin changed meanwhile stays.
 */
export const setSigningModels = command({
  name: 'signingModels.set',
  doc: 'Set of which models authenticators must be that sign decisions',
  right: 'manageMembers',
  takes: { models, version: optional(fromOne), assertion: optional(changeAssertion) },
  gives: signingModelsShape,
  refuses: [
    'invalid_request',
    'not_found',
    'version_conflict',
    'signature_required',
    'signature_invalid',
    'authenticator_revoked',
    'authenticator_cloned',
  ],
  async run(unit, { models, version, assertion }) {
    const { tenantId, memberId } = unit.by
    const { was, own } = await unit.ask({
      was: organizationOf(tenantId),
      own: ownOf(tenantId, memberId),
    })
    const before = modelsOf(was.row)
    const { version: current, verifiable } = viewOf(was.row, unit.tools)
    if (version !== undefined && version !== current)
      return unit.refuse(
        'version_conflict',
        `expected version ${current}, got ${version}: the list has changed`,
      )
    // One whose roots the operator took away stays listed until it is taken off.
    const listable = [...verifiable, ...before.map(({ aaguid }) => aaguid)]
    const errors = models.flatMap(({ aaguid }, at) => {
      const detail = faultOf(aaguid, models.slice(0, at), listable)
      return detail === null ? [] : [wrong(`/models/${at}/aaguid`, detail)]
    })
    unit.orRefuse(refuseErrors(errors) ?? ok(null))
    const isSame =
      models.length === before.length &&
      models.every(({ aaguid, label }, at) => {
        const then = before[at]
        return then?.aaguid === aaguid && then.label === label
      })
    if (isSame) return viewOf(was.row, unit.tools)
    const isWeaker = widens(before, models)
    if (isWeaker && !assertion)
      return unit.refuse(
        'signature_required',
        'what lets more models sign takes an assertion of your authenticator',
      )
    if (isWeaker && assertion) {
      const set = { operation: 'signingModels.set', subject: tenantId, value: { models } }
      await proveWeakening(unit, set, assertion, own.rows)
    }
    if (isWeaker || widens(models, before))
      await tellAdmins(unit, tenantId, isWeaker ? 'more_models' : 'other_models', {
        about: null,
        text: wordsFor(models),
      })
    const row = { ...was.row, signingModels: models, signingModelsVersion: current + 1 }
    unit.put(tenants, { ...row, updatedAt: unit.now }, was)
    unit.audit('signing_models.set', tenantId, {
      aaguids: models.map(({ aaguid }) => aaguid).join(', '),
      weakened: isWeaker,
    })
    return viewOf(row, unit.tools)
  },
})

/** What admins do about the models of authenticators. */
export const signingModelOperations = [readSigningModels, setSigningModels] as const

function viewOf(
  row: Pick<Tenant, 'signingModels' | 'signingModelsVersion'>,
  tools: Pick<AccessTools, 'authenticators'>,
): OutOf<typeof signingModelsShape> {
  const { signingModelsVersion: version = 1 } = row
  return { version, models: modelsOf(row), verifiable: verifiableBy(tools) }
}

function verifiableBy({ authenticators }: Pick<AccessTools, 'authenticators'>): readonly string[] {
  return [...(authenticators?.models ?? [])].toSorted()
}

/** Why a model can't be listed; null where it can. */
function faultOf(
  aaguid: string,
  earlier: readonly { readonly aaguid: string }[],
  verifiable: readonly string[],
): string | null {
  if (aaguid === noModel) return 'expected a model, got the AAGUID of those that tell none'
  if (earlier.some((model) => model.aaguid === aaguid)) return 'expected each model once'
  return verifiable.includes(aaguid)
    ? null
    : 'expected a model of which this service has root certificates, which its operator sets'
}

function wordsFor(models: readonly { readonly aaguid: string; readonly label: string }[]): string {
  const listed = models.map(({ aaguid, label }) => `\n- ${label} (${aaguid})`).join('')
  return listed === ''
    ? 'Authenticators of any model, and those that prove none, sign decisions now.'
    : `Decisions are signed by authenticators of these models now:${listed}`
}
