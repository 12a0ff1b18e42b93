import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { type Named, type OutsOf, oneOf } from '../../kernel/shape.ts'
import { organizationOf } from '../access/organization.ts'
import { type SignInMode, signInModes, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { tellAdmins } from '../members/tell-admins.ts'
import { checkedPassword, countingProof, ofProof, proof, prove } from '../providers/prove-admin.ts'
import { modeOf } from './sign-in-rule.ts'

const { command, reading } = operationsWith<AccessTools>()

const rule = {
  /** Beside the organization's provider, where it has one. */
  signIn: oneOf(signInModes),
}
/** How members of an organization sign in. */
export interface SignInRuleView extends OutsOf<typeof rule> {}
const signInRuleShape: Named<typeof rule, SignInRuleView> = object(rule, 'SignInRule')

/** How members sign in. */
export const readSignInRule = reading({
  name: 'signInRule.read',
  doc: 'Read how members sign in',
  right: 'readMembers',
  takes: {},
  gives: signInRuleShape,
  refuses: ['not_found'],
  async run({ ask, by }) {
    const { tenant } = await ask({ tenant: organizationOf(by.tenantId) })
    return { signIn: modeOf(tenant.row) }
  },
})

/** Sets how members sign in; sessions that were opened otherwise end. Mailed to all admins. */
export const setSignInRule = command({
  name: 'signInRule.set',
  doc: 'Set how members sign in; all admins are told by mail',
  right: 'manageMembers',
  takes: { ...rule, ...proof },
  gives: signInRuleShape,
  refuses: [...ofProof, 'not_found'],
  around: ({ by, tools }, input, run) => countingProof({ by, tools }, input, run),
  prepare: (lookup, given) => checkedPassword(lookup, given),
  async run(unit, given, hash) {
    const { signIn } = given
    const { tenantId } = unit.by
    await prove(unit, 'signInRule.set', given, hash)
    const { was } = await unit.ask({ was: organizationOf(tenantId) })
    const before = modeOf(was.row)
    if (signIn === before) return { signIn }
    unit.put(tenants, { ...was.row, signIn, updatedAt: unit.now }, was)
    unit.audit('sign_in_rule.set', tenantId, { signIn, before })
    await tellAdmins(unit, tenantId, 'sign_in', { about: null, text: words[signIn] })
    return { signIn }
  },
})

/** What admins do about the ways in which members sign in. */
export const signInRuleOperations = [readSignInRule, setSignInRule] as const

const words: Readonly<Record<SignInMode, string>> = {
  password: 'Members sign in by password now. Passkeys sign nobody in.',
  password_and_passkey: 'Members sign in by password or passkey now.',
  passkey: 'Members who have a passkey sign in by it now, and no longer by password.',
}
