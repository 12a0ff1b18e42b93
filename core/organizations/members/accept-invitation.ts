import type { Found, Read, Versioned } from '../../base/ports/store.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal } from '../../kernel/ledger/ledger.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, list, one, put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { memberView } from '../access/present.ts'
import { type Member, members, rosters, tenants } from '../access/records.ts'
import { hashKeyText } from '../api-keys/key-text.ts'
import type { LoginOutcome } from '../logins/login-throttle.ts'
import { accountSuspended } from '../logins/sessions.ts'
import type { Tries } from '../logins/tries.ts'
import { checkPassword } from '../passwords/password.ts'
import { ended, invitationStatus } from './invitation.ts'
import { pendingMemberOf } from './load.ts'
import { hashed, memberByEmail } from './new-member.ts'
import { type Invitation, invitations } from './records.ts'
import { changeRoster } from './roster.ts'
import type { MembershipUseCases } from './use-cases.ts'

/** Unknown tokens count as failed tries of the caller, as failed logins do. */
export function acceptInvitation(
  deps: AccessDeps,
  tries: Tries,
): MembershipUseCases['acceptInvitation'] {
  const { ledger, clock, passwords } = deps

  async function accept(
    token: string,
    name: string,
    password: string,
  ): ReturnType<MembershipUseCases['acceptInvitation']> {
    const byToken = list(invitations, { where: [['tokenHash', '=', hashKeyText(token)]], take: 1 })
    const [asked] = await ledger.read(null, [byToken])
    const known = openInvitation(asked, clock.now())
    if (!known.ok) return known
    const hash = await hashed(passwords, password)
    if (!hash.ok) return hash
    const { tenantId } = known.value.row

    return ledger.execute(null, async (unit) => {
      const reads: readonly Read[] = [
        byToken,
        get(rosters, [tenantId]),
        get(tenants, [tenantId]),
        memberByEmail(known.value.row.email),
      ]
      const [found, foundRoster, foundTenant, foundMember] = await unit.read(reads)
      const open = openInvitation(found, unit.now)
      if (!open.ok) return refusal(open)
      const invitation = open.value
      const member = await pendingMemberOf(unit, invitation.row)
      const roster = one(rosters, foundRoster)
      const tenant = one(tenants, foundTenant)
      if (!member || !roster || !tenant) return refusal(unknownToken())
      if (tenant.row.status !== 'active') return refusal(accountSuspended())
      if (one(members, foundMember))
        return refusal(refuse('email_taken', 'a member of an organization has this address'))
      const joined: Member = {
        ...member.row,
        name: name.trim(),
        emailKey: invitation.row.emailKey,
        status: 'Active',
        passwordHash: hash.value,
        updatedAt: unit.now,
      }
      const admins = changeRoster(roster, member.row, joined)
      if (!admins.ok) return refusal(admins)
      const { memberId, role, granted } = joined
      return commit(
        {
          checks: [{ in: tenants.name, key: [tenantId], version: tenant.version }],
          puts: [
            put(invitations, ended(invitation.row, 'accepted', unit.now), invitation),
            put(members, joined, member),
            ...admins.value,
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: `member:${memberId}`,
              action: 'invitation.accepted',
              subject: invitation.row.invitationId,
              detail: { memberId, role, permissions: granted.join(', ') },
            }),
          ],
        },
        { member: memberView(joined), tenantId },
      )
    })
  }

  return async ({ token, name, password, ...caller }) => {
    const tried = await tries.begin(caller)
    if (!tried.ok) return tried
    let outcome: LoginOutcome = 'undecided'
    try {
      const malformed = refuseErrors([
        ...checkName(name, '/name', longest.name),
        ...checkPassword(password, '/password'),
      ])
      const accepted = malformed ?? (await accept(token, name, password))
      if (accepted.ok) outcome = 'succeeded'
      else if (accepted.refusal.code === 'not_found') outcome = 'failed'
      return accepted
    } finally {
      tried.value(outcome)
    }
  }
}

/** The pending invitation of a token. Refuses with `not_found`, `invitation_expired`. */
function openInvitation(found: Found | undefined, now: number): Result<Versioned<Invitation>> {
  const invitation = one(invitations, found)
  if (!invitation) return unknownToken()
  const status = invitationStatus(invitation.row, now)
  if (status === 'pending') return ok(invitation)
  return refuse('invitation_expired', `expected a pending invitation, got one that is ${status}`)
}

function unknownToken(): ReturnType<typeof refuse> {
  return refuse('not_found', 'expected the token of an invitation as it was sent last')
}
