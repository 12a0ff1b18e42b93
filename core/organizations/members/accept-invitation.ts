import { memberIdOf } from '../../kernel/callers/actor.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { anyText } from '../../kernel/shape.ts'
import { caller } from '../access/caller.ts'
import { joinedShape, memberView } from '../access/present.ts'
import { type Member, members, rosters, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { checkPassword } from '../passwords/password.ts'
import { ended } from './invitation.ts'
import { byToken, openInvitation, pendingMemberOf, unknownToken } from './load.ts'
import { hashed, memberByEmail } from './new-member.ts'
import { invitations } from './records.ts'
import { changeRoster, isAdmin } from './roster.ts'
import { tellAdmins } from './tell-admins.ts'

const { command } = operationsWith<AccessTools>()

/** Makes the invitee an active member, without a session; all admins are told of a new admin by mail. Unknown tokens count as failed tries of the caller, as failed logins do. */
export const acceptInvitation = command({
  name: 'auth.acceptInvitation',
  doc: 'Become a member by an invitation, without a session',
  by: 'anyone',
  right: null,
  takes: {
    token: anyText(longest.secret),
    name: anyText(longest.name),
    password: anyText(longest.password),
    ...caller,
  },
  gives: joinedShape,
  refuses: [
    'not_found',
    'invitation_expired',
    'email_taken',
    'account_suspended',
    'too_many_attempts',
    'busy',
  ],
  around: ({ tools }, input, run) =>
    tools.tries.logins.count(input, { failure: 'not_found' }, async () => {
      const faults = [
        ...checkName(input.name, '/name', longest.name),
        ...checkPassword(input.password, '/password'),
      ]
      return refuseErrors(faults) ?? run()
    }),
  async prepare({ read, orRefuse, tools: { clock, passwords } }, { token, password }) {
    const [found] = await read([byToken(token)])
    const { row } = orRefuse(openInvitation(found, clock.now()))
    return { invited: row, passwordHash: orRefuse(await hashed(passwords, password)) }
  },
  async run(unit, { token, name }, { invited, passwordHash }) {
    const { tenantId, email } = invited
    const { tenant } = await unit.ask({ tenant: tenants.get(tenantId) })
    const inviterId = memberIdOf(invited.invitedBy)
    const [found, foundRoster, foundMember, foundInviter] = await unit.read([
      byToken(token),
      get(rosters, [tenantId]),
      memberByEmail(email),
      get(members, [tenantId, inviterId]),
    ])
    const invitation = unit.orRefuse(openInvitation(found, unit.now))
    const member = await pendingMemberOf(unit, invitation.row)
    const roster = one(rosters, foundRoster)
    if (!member || !roster || !tenant) return unit.orRefuse(unknownToken())
    if (tenant.row.status !== 'active') return unit.orRefuse(accountSuspended())
    if (one(members, foundMember))
      return unit.refuse('email_taken', 'a member of an organization has this address')
    const joined: Member = {
      ...member.row,
      name: name.trim(),
      emailKey: invitation.row.emailKey,
      status: 'Active',
      passwordHash,
      updatedAt: unit.now,
    }
    unit.put(invitations, ended(invitation.row, 'accepted', unit.now), invitation)
    unit.put(members, joined, member)
    // Who joins leaves no organization without an admin.
    unit.include({ puts: unwrap(changeRoster(roster, member.row, joined, unit.now)) })
    const { memberId, role, granted } = joined
    const detail = { memberId, role, permissions: granted.join(', ') }
    const { invitationId } = invitation.row
    if (isAdmin(joined)) {
      const inviter = one(members, foundInviter)?.row.email ?? inviterId
      await tellAdmins(unit, tenantId, 'admin_joined', {
        about: memberId,
        text: `${email} accepted the invitation of ${inviter} and is an admin of your organization now. If nobody meant this, take their rights and those of ${inviter}, and change your passwords.`,
      })
    }
    unit.audit('invitation.accepted', invitationId, detail, tenantId, `member:${memberId}`)
    return { member: memberView(joined), tenantId }
  },
})
