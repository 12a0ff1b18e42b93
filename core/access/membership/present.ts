import { isoTime } from '../../ledger/iso-time.ts'
import { memberIdOf } from '../actor.ts'
import type { Member } from '../records.ts'
import { invitationStatus } from './invitation.ts'
import type { Invitation } from './records.ts'
import type { InvitationView, MemberRecordView } from './view.ts'

/** A member, with the invitation that a pending one waits for. */
export function memberRecordView(member: Member, invitation: Invitation | null): MemberRecordView {
  const { memberId, name, email, role, granted, status, createdAt } = member
  const pending = status === 'Pending invitation' ? invitation : null
  return {
    memberId,
    name,
    email,
    role,
    permissions: granted,
    status,
    addedAt: isoTime(createdAt),
    invitation: pending && {
      invitationId: pending.invitationId,
      expiresAt: isoTime(pending.expiresAt),
    },
  }
}

export function invitationView(
  invitation: Invitation,
  now: number,
  acceptUrl: string | null = null,
): InvitationView {
  const { invitationId, memberId, email, role, granted, invitedBy, createdAt, expiresAt } =
    invitation
  return {
    invitationId,
    memberId,
    email,
    role,
    permissions: granted,
    status: invitationStatus(invitation, now),
    invitedBy: memberIdOf(invitedBy),
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    acceptUrl,
  }
}
