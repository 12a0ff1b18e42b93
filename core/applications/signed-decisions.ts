import { object } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import type { Named, OutsOf } from '../kernel/shape.ts'
import { optional } from '../kernel/wrap.ts'
import { changeAssertion } from '../organizations/authenticators/assertion.ts'
import { ownOf, type Proving, proveWeakening } from '../organizations/authenticators/unit.ts'
import { tellAdmins } from '../organizations/members/tell-admins.ts'
import { weakens } from '../proof/webauthn/signing-rule.ts'
import { changedApplication } from './changed-application.ts'
import { activeApplication } from './load.ts'
import { type Application, applications } from './records.ts'
import { signingRule, usualSigningRule } from './signing-rule.ts'
import { shownApplication } from './view.ts'

const { command, reading } = operationsWith<Proving>()
const { applicationId } = shownApplication

const shown = { applicationId, ...signingRule }
/** Which decisions of an application must be signed. */
export interface SignedDecisionsView extends OutsOf<typeof shown> {}
const signedDecisionsShape: Named<typeof shown, SignedDecisionsView> = object(
  shown,
  'SignedDecisions',
)

/** Which decisions on an application's cases must be signed. */
export const readSignedDecisions = reading({
  name: 'signedDecisions.read',
  doc: 'Read which decisions must be signed',
  right: 'readApplications',
  takes: { applicationId },
  gives: signedDecisionsShape,
  refuses: ['not_found', 'application_gone'],
  async run({ ask, by }, { applicationId }) {
    const { application } = await ask({
      application: activeApplication(by.tenantId, applicationId),
    })
    return viewOf(application.row)
  },
})

/**
 * Sets which decisions on an application's cases must be signed. What lets more through takes an assertion of the admin's
 * own authenticator, for the statement of a change `weaken` of this application to this very rule. All admins are mailed,
 * of what lets less through too: it keeps reviewers from deciding who have no such authenticator.
 */
export const setSignedDecisions = command({
  name: 'signedDecisions.set',
  doc: 'Set which decisions must be signed',
  right: 'updateApplications',
  takes: { applicationId, ...signingRule, assertion: optional(changeAssertion) },
  gives: signedDecisionsShape,
  refuses: [
    'not_found',
    'application_gone',
    'signature_required',
    'signature_invalid',
    'authenticator_revoked',
    'authenticator_cloned',
  ],
  async run(unit, { applicationId, assertion, ...rule }) {
    const { tenantId, memberId } = unit.by
    const { was, own } = await unit.ask({
      was: activeApplication(tenantId, applicationId),
      own: ownOf(tenantId, memberId),
    })
    const before = was.row.signing ?? usualSigningRule
    const isSame = Object.entries(rule).every(
      ([name, value]) => before[name as keyof typeof before] === value,
    )
    if (isSame) return viewOf(was.row)
    const isWeaker = weakens(before, rule)
    if (isWeaker && !assertion)
      return unit.refuse(
        'signature_required',
        'what lets more through takes an assertion of your authenticator',
      )
    if (isWeaker && assertion) {
      const set = { operation: 'signedDecisions.set', subject: applicationId, value: rule }
      await proveWeakening(unit, set, assertion, own.rows)
    }
    await tellAdmins(unit, tenantId, isWeaker ? 'fewer_signatures' : 'more_signatures', {
      about: applicationId,
      text: `For the application "${was.row.name}", signatures of decisions are ${rule.signedDecisions} now (${before.signedDecisions} before), and credentials that may be copied to other devices are ${rule.refuseSynced ? 'refused' : 'taken'}.`,
    })
    const row = changedApplication(was.row, { signing: rule }, unit.now)
    unit.put(applications, row, was)
    unit.audit('application.signed_decisions_set', applicationId, { ...rule, weakened: isWeaker })
    return viewOf(row)
  },
})

/** Which decisions must be signed (interface, Signed decisions). */
export const signedDecisionOperations = [readSignedDecisions, setSignedDecisions] as const

function viewOf({ applicationId, signing = usualSigningRule }: Application): SignedDecisionsView {
  return { applicationId, ...signing }
}
