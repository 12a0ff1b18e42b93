import { memberIdOf } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { anyText, type Named, name, type OutsOf, time } from '../../kernel/shape.ts'
import { orNull } from '../../kernel/wrap.ts'
import { caller } from '../access/caller.ts'
import { emailAddress } from '../access/email.ts'
import { members, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { byToken, openInvitation, unknownToken } from './load.ts'
import { memberRights } from './present.ts'

const { reading } = operationsWith<AccessTools>()

const offered = {
  organizationName: name(longest.name),
  /** Of the admin who made it; null once there is no such member. */
  inviterName: orNull(name(longest.name)),
  /** Where it was sent, which is what the member logs in with. */
  email: emailAddress,
  ...memberRights,
  expiresAt: time,
}
/** What somebody is invited to. */
export interface OfferedInvitation extends OutsOf<typeof offered> {}
const offeredShape: Named<typeof offered, OfferedInvitation> = object(offered, 'OfferedInvitation')

/** Tells the invitee who invites them and to what. Unknown tokens count as failed tries of the caller, as failed logins do. */
export const readInvitation = reading({
  name: 'auth.readInvitation',
  doc: 'Read who invites to what, by the token of the invitation',
  by: 'anyone',
  right: null,
  takes: { token: anyText(longest.secret), ...caller },
  gives: offeredShape,
  refuses: ['not_found', 'invitation_expired', 'account_suspended', 'too_many_attempts'],
  // Found forgives no failures, for it can be found again and again.
  async around({ tools }, input, run) {
    const admitted = await tools.tries.logins.admit(input)
    if (!admitted.ok) return admitted
    const done = await run()
    if (!done.ok && done.refusal.code === 'not_found') await tools.tries.logins.reject(input)
    return done
  },
  async run({ read, orRefuse, tools: { clock } }, { token }) {
    const [found] = await read([byToken(token)])
    const { row } = orRefuse(openInvitation(found, clock.now()))
    const { tenantId, invitedBy, granted } = row
    const [foundTenant, foundAdmin] = await read([
      get(tenants, [tenantId]),
      get(members, [tenantId, memberIdOf(invitedBy)]),
    ])
    const tenant = one(tenants, foundTenant)?.row
    if (!tenant) return orRefuse(unknownToken())
    if (tenant.status !== 'active') return orRefuse(accountSuspended())
    return offeredShape.show({
      ...row,
      organizationName: tenant.name,
      inviterName: one(members, foundAdmin)?.row.name ?? null,
      permissions: granted,
    })
  },
})
