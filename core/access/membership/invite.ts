import { bytesToHex } from '@noble/hashes/utils.js'
import { checkLine } from '../../ledger/check-text.ts'
import { refuseErrors } from '../../ledger/input-errors.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { answer, commit, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import { longest, pendingInvitationsPerTenant } from '../../ledger/limits.ts'
import { get, one, put } from '../../ledger/reads.ts'
import { refuse } from '../../ledger/refusal.ts'
import type { Put } from '../../ports/store.ts'
import { schedule } from '../../work/records.ts'
import { actorName, permissions as everyPermission } from '../actor.ts'
import { authorizeMember } from '../authorize.ts'
import type { AccessDeps } from '../deps.ts'
import { checkEmail, emailKeyOf } from '../email.ts'
import { executeAs } from '../execute-as.ts'
import { hashKeyText } from '../key-text.ts'
import { type Member, members, rosters, tenants } from '../records.ts'
import { checkRights } from './check-input.ts'
import { end } from './end-invitation.ts'
import { invitationMs, invitationStatus, sentAgain } from './invitation.ts'
import { auditInvitation } from './invitation-audit.ts'
import { invitationKind } from './invitation-expiry.ts'
import { invitedOf, loadInvitation, pendingMemberOf, pendingMembersOf } from './load.ts'
import { invitationView } from './present.ts'
import { type Invitation, invitations } from './records.ts'
import type { MembershipUseCases } from './use-cases.ts'

/** How the token reaches the invitee: by a mail that the commit owes, or in the answer. */
interface Sending {
  readonly puts: readonly Put[]
  readonly acceptUrl: string | null
}

async function sendingOf(
  { post, portalUrl }: AccessDeps,
  unit: UnitOfWork,
  { tenantId, email, expiresAt }: Invitation,
  token: string,
): Promise<Sending> {
  const url = `${portalUrl}/invitation#${token}`
  if (!post.sends) return { puts: [], acceptUrl: url }
  const [found] = await unit.read([get(tenants, [tenantId])])
  const name = one(tenants, found)?.row.name ?? tenantId
  const text = [
    `You are invited to join ${name}.`,
    '',
    `Choose a name and a password here before ${isoTime(expiresAt)}:`,
    url,
    '',
    'If you did not expect this, ignore this mail: the invitation ends by itself.',
  ].join('\n')
  const letter = { to: email, subject: `Invitation to ${name}`, text }
  return { puts: post.owe(unit, tenantId, letter), acceptUrl: null }
}

/** 32 random bytes in hex; stored as their hash alone. */
function newToken({ random }: Pick<UnitOfWork, 'random'>): string {
  return bytesToHex(random.bytes(32))
}

export function invite(deps: AccessDeps): MembershipUseCases['invite'] {
  return async (actor, { email, role = 'CustomerAuditor', permissions = [] }) => {
    const allowed = authorizeMember(actor, 'manageMembers')
    if (!allowed.ok) return allowed
    const malformed = refuseErrors([
      ...checkLine(email, '/email', longest.email),
      ...checkEmail(email, '/email'),
      ...checkRights(role, permissions),
    ])
    if (malformed) return malformed
    return executeAs(deps.ledger, actor, 'manageMembers', async (unit, by) => {
      const { tenantId } = by
      const { now, id } = unit
      const emailKey = emailKeyOf(email)
      const [foundInvitation, foundMember, foundRoster, foundPending] = await unit.read([
        ...invitedOf(tenantId, emailKey),
        get(rosters, [tenantId]),
        pendingMembersOf(tenantId, { take: 1, count: true }),
      ])
      const roster = one(rosters, foundRoster)
      if (!roster) return refusal(refuse('authentication_required', 'the organization is no more'))
      if (one(members, foundMember))
        return refusal(refuse('already_member', 'a member of the organization has this address'))
      const earlier = one(invitations, foundInvitation)
      if (earlier && invitationStatus(earlier.row, now) === 'pending')
        return refusal(
          refuse('already_invited', 'an invitation of this address is pending: send it again'),
        )
      const late = earlier && {
        invitation: earlier,
        member: await pendingMemberOf(unit, earlier.row),
      }
      const expired = late ? end(late, 'expired', now) : { puts: [], removes: [] }
      const pending = (foundPending?.total ?? 0) - expired.removes.length
      if (pending >= pendingInvitationsPerTenant) return refusal(tooMany(pending))
      const token = newToken(unit)
      const expiresAt = now + invitationMs
      const granted = everyPermission.filter((one) => permissions.includes(one))
      const invitation: Invitation = {
        tenantId,
        invitationId: id('inv'),
        memberId: id('mem'),
        email: email.trim(),
        emailKey,
        role,
        granted,
        status: 'pending',
        tokenHash: hashKeyText(token),
        invitedBy: actorName(by),
        createdAt: now,
        expiresAt,
        endsAt: expiresAt,
      }
      const { invitationId } = invitation
      const sending = await sendingOf(deps, unit, invitation, token)
      return commit(
        {
          removes: expired.removes,
          puts: [
            ...expired.puts,
            put(invitations, invitation, null),
            put(members, pendingMember(invitation), null),
            // Written, not only checked: who counts invitations, or ends this admin's rights, at once must see this one.
            put(rosters, roster.row, roster),
            schedule({
              kind: invitationKind,
              ref: invitationId,
              tenantId,
              applicationId: null,
              due: expiresAt,
            }),
            ...sending.puts,
          ],
          appends: [auditInvitation(by, 'created', invitation, now)],
        },
        invitationView(invitation, now, sending.acceptUrl),
      )
    })
  }
}

/** The row of who was invited: it can't log in, and takes no address from anybody. */
function pendingMember(invitation: Invitation): Member {
  const { tenantId, memberId, invitationId, email, role, granted, createdAt } = invitation
  return {
    tenantId,
    memberId,
    name: null,
    email,
    emailKey: null,
    role,
    granted,
    status: 'Pending invitation',
    passwordHash: null,
    sessionVersion: 1,
    invitationId,
    createdAt,
    updatedAt: createdAt,
  }
}

/** The token before stops working. */
export function resendInvitation(deps: AccessDeps): MembershipUseCases['resendInvitation'] {
  return (actor, invitationId) =>
    executeAs(deps.ledger, actor, 'manageMembers', async (unit, by) => {
      const loaded = await loadInvitation(unit, by.tenantId, invitationId)
      if (!loaded.ok) return refusal(loaded)
      const { invitation } = loaded.value
      const status = invitationStatus(invitation.row, unit.now)
      if (status !== 'pending') return refusal(notPending(status))
      const token = newToken(unit)
      const next = sentAgain(invitation.row, hashKeyText(token), unit.now)
      const sending = await sendingOf(deps, unit, next, token)
      return commit(
        {
          puts: [put(invitations, next, invitation), ...sending.puts],
          appends: [auditInvitation(by, 'resent', next, unit.now)],
        },
        invitationView(next, unit.now, sending.acceptUrl),
      )
    })
}

export function withdrawInvitation(deps: AccessDeps): MembershipUseCases['withdrawInvitation'] {
  return (actor, invitationId) =>
    executeAs(deps.ledger, actor, 'manageMembers', async (unit, by) => {
      const loaded = await loadInvitation(unit, by.tenantId, invitationId)
      if (!loaded.ok) return refusal(loaded)
      const { row } = loaded.value.invitation
      const status = invitationStatus(row, unit.now)
      if (status === 'withdrawn') return answer(invitationView(row, unit.now))
      if (status !== 'pending') return refusal(notPending(status))
      const withdrawn = end(loaded.value, 'withdrawn', unit.now)
      return commit(
        {
          puts: withdrawn.puts,
          removes: withdrawn.removes,
          appends: [auditInvitation(by, 'withdrawn', row, unit.now)],
        },
        invitationView(withdrawn.invitation, unit.now),
      )
    })
}

function tooMany(pending: number): ReturnType<typeof refuse> {
  return refuse(
    'invitation_limit',
    `the organization has ${pending} pending invitations, expected fewer than ${pendingInvitationsPerTenant}: withdraw one first`,
  )
}

function notPending(status: string): ReturnType<typeof refuse> {
  return refuse('invalid_transition', `expected a pending invitation, got one that is ${status}`)
}
