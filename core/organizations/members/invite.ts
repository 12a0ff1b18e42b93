import { bytesToHex } from '@noble/hashes/utils.js'
import { actorName, type MemberActor } from '../../kernel/callers/actor.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { lettersPerHour, longest, pendingInvitationsPerTenant } from '../../kernel/ledger/limits.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { line } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { workAt } from '../../kernel/work/records.ts'
import { usual } from '../../kernel/wrap.ts'
import type { AccessDeps } from '../access/deps.ts'
import { emailAddress, emailKeyOf } from '../access/email.ts'
import { type Member, members, rosters, tenants } from '../access/records.ts'
import { hashKeyText } from '../api-keys/key-text.ts'
import { countLetter } from './count-letter.ts'
import { end } from './end-invitation.ts'
import { invitationMs, invitationStatus, sentAgain } from './invitation.ts'
import { auditInvitation } from './invitation-audit.ts'
import { invitationKind } from './invitation-expiry.ts'
import { invitedOf, loadInvitation, pendingMemberOf, pendingMembersOf } from './load.ts'
import { invitationShape, invitationView, memberRights } from './present.ts'
import { type Invitation, invitations } from './records.ts'

type Tools = Pick<AccessDeps, 'post' | 'portalUrl'>
const { command } = operationsWith<Tools>()
const id = { invitationId: line(longest.id) }
const common = { right: 'manageMembers', gives: invitationShape } as const

/** Invites an address for 72 hours. The answer has `acceptUrl` where the host has no mailer. */
export const invite = command({
  ...common,
  name: 'invitations.create',
  doc: 'Invite an address for 72 hours',
  takes: {
    email: emailAddress,
    role: usual(memberRights.role, 'CustomerAuditor'),
    permissions: usual(memberRights.permissions, []),
  },
  refuses: ['already_member', 'already_invited', 'authentication_required', 'invitation_limit'],
  async run(unit, { email, role, permissions: granted }) {
    const { now, by } = unit
    const { tenantId } = by
    const emailKey = emailKeyOf(email)
    const [foundInvitation, foundMember, foundRoster, foundPending] = await unit.read([
      ...invitedOf(tenantId, emailKey),
      get(rosters, [tenantId]),
      pendingMembersOf(tenantId, { take: 1, count: true }),
    ])
    const roster = one(rosters, foundRoster)
    if (!roster) return unit.refuse('authentication_required', 'the organization is no more')
    if (one(members, foundMember))
      return unit.refuse('already_member', 'a member of the organization has this address')
    const earlier = one(invitations, foundInvitation)
    if (earlier && invitationStatus(earlier.row, now) === 'pending')
      return unit.refuse(
        'already_invited',
        'an invitation of this address is pending: send it again',
      )
    const late = earlier && {
      invitation: earlier,
      member: await pendingMemberOf(unit, earlier.row),
    }
    const pending = (foundPending?.total ?? 0) - (late?.member ? 1 : 0)
    if (pending >= pendingInvitationsPerTenant)
      return unit.refuse(
        'invitation_limit',
        `the organization has ${pending} pending invitations, expected fewer than ${pendingInvitationsPerTenant}: withdraw one first`,
      )
    await requireMailable(unit, emailKey)
    const token = newToken(unit)
    const expiresAt = now + invitationMs
    const invitation: Invitation = {
      tenantId,
      invitationId: unit.id('inv'),
      memberId: unit.id('mem'),
      email,
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
    if (late) end(unit, late, 'expired')
    unit.put(invitations, invitation)
    unit.put(members, pendingMember(invitation))
    // Written, not only checked: a concurrent commit that counts invitations, or ends this admin's rights, must see it.
    unit.put(rosters, roster.row, roster)
    const ref = invitation.invitationId
    unit.wake(workAt({ kind: invitationKind, ref, tenantId, due: expiresAt }))
    auditInvitation(unit, 'created', invitation)
    return invitationView(invitation, now, await send(unit, invitation, token))
  },
})

/** Sends a new token, valid for 72 hours; the token before stops working. */
export const resendInvitation = command({
  ...common,
  name: 'invitations.resend',
  doc: 'Send a new token in place of the last',
  takes: id,
  refuses: ['not_found', 'invalid_transition', 'invitation_limit'],
  async run(unit, { invitationId }) {
    const { now, by } = unit
    const { invitation } = unit.orRefuse(await loadInvitation(unit, by.tenantId, invitationId))
    const status = invitationStatus(invitation.row, now)
    if (status !== 'pending') return unit.refuse('invalid_transition', notPending(status))
    await requireMailable(unit, invitation.row.emailKey)
    const token = newToken(unit)
    const next = sentAgain(invitation.row, hashKeyText(token), now)
    unit.put(invitations, next, invitation)
    auditInvitation(unit, 'resent', next)
    return invitationView(next, now, await send(unit, next, token))
  },
})

/** Ends a pending invitation; a withdrawn one stays as it is. */
export const withdrawInvitation = command({
  ...common,
  name: 'invitations.withdraw',
  doc: 'Withdraw a pending invitation',
  takes: id,
  refuses: ['not_found', 'invalid_transition'],
  async run(unit, { invitationId }) {
    const { now, by } = unit
    const loaded = unit.orRefuse(await loadInvitation(unit, by.tenantId, invitationId))
    const { row } = loaded.invitation
    const status = invitationStatus(row, now)
    if (status === 'withdrawn') return invitationView(row, now)
    if (status !== 'pending') return unit.refuse('invalid_transition', notPending(status))
    auditInvitation(unit, 'withdrawn', row)
    return invitationView(end(unit, loaded, 'withdrawn'), now)
  },
})

/**
 * Counts one more mail to an address that is invited, of whatever invitation. Refused where it got as many within an hour
 * as it may: a token that is not mailed would end the one that was.
 */
async function requireMailable(
  unit: Unit<MemberActor, 'invitation_limit', Tools>,
  emailKey: string,
): Promise<void> {
  if (!unit.tools.post.sends) return
  const counted = { kind: 'invitation', about: emailKey, inAll: false }
  if ((await countLetter(unit, unit.by.tenantId, counted)) === null)
    unit.refuse(
      'invitation_limit',
      `the address was mailed ${lettersPerHour} invitations within an hour; the last of them is good`,
    )
}

/** Owes the invitee a mail with the token; without a mailer, the URL for the answer. */
async function send(
  unit: Unit<MemberActor, never, Tools>,
  { tenantId, email, expiresAt }: Invitation,
  token: string,
): Promise<string | null> {
  const { post, portalUrl } = unit.tools
  const url = `${portalUrl}/invitation#${token}`
  if (!post.sends) return url
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
  unit.mail({ to: email, subject: `Invitation to ${name}`, text })
  return null
}

/** 32 random bytes in hex; stored as their hash alone. */
function newToken({ random }: Pick<UnitOfWork, 'random'>): string {
  return bytesToHex(random.bytes(32))
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

function notPending(status: string): string {
  return `expected a pending invitation, got one that is ${status}`
}
