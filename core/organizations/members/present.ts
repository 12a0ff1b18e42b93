import { memberIdOf, permissions, roles } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import {
  type InsOf,
  line,
  name,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  text,
  time,
} from '../../kernel/shape.ts'
import { orNull, takenBy } from '../../kernel/wrap.ts'
import { emailAddress } from '../access/email.ts'
import { type Member, memberStatuses } from '../access/records.ts'
import { invitationStatus } from './invitation.ts'
import { type Invitation, invitationStatuses } from './records.ts'

/** What a member may: the role, and what was granted beside it. No permission is named twice to any effect. */
export const memberRights = {
  role: oneOf(roles),
  permissions: takenBy(
    listOf(oneOf(permissions), { most: permissions.length }),
    (given): Member['granted'] => permissions.filter((one) => given.includes(one)),
  ),
}

const waitedFor = { invitationId: line(longest.id), expiresAt: time }

const shownMember = {
  memberId: line(longest.id),
  /** Null until an invitation is accepted. */
  name: orNull(name(longest.name)),
  email: emailAddress,
  ...memberRights,
  status: oneOf(memberStatuses),
  addedAt: time,
  /** Null for members who are not pending. */
  invitation: orNull(object(waitedFor)),
}

/** A member as the organization's list shows them; `permissions`: those granted beside the role. */
export interface MemberRecordView extends OutsOf<typeof shownMember> {}

export const memberRecordShape: Shape<
  RowsOf<typeof shownMember>,
  InsOf<typeof shownMember>,
  MemberRecordView
> = object(shownMember, 'MemberRecord')

/** A member, with the invitation that a pending one waits for. */
export function memberRecordView(member: Member, invitation: Invitation | null): MemberRecordView {
  const { granted, status, createdAt } = member
  const pending = status === 'Pending invitation' ? invitation : null
  const shown = { permissions: granted, addedAt: createdAt, invitation: pending }
  return showAll(shownMember, { ...member, ...shown })
}

const shownInvitation = {
  invitationId: line(longest.id),
  memberId: line(longest.id),
  email: emailAddress,
  ...memberRights,
  status: oneOf(invitationStatuses),
  /** A member's id. */
  invitedBy: line(longest.id),
  createdAt: time,
  expiresAt: time,
  /** Where the invitee accepts; null where the token was sent by mail, and in every later answer. */
  acceptUrl: orNull(text(longest.url)),
}

/** An invitation as it is returned. */
export interface InvitationView extends OutsOf<typeof shownInvitation> {}

export const invitationShape: Shape<
  RowsOf<typeof shownInvitation>,
  InsOf<typeof shownInvitation>,
  InvitationView
> = object(shownInvitation, 'Invitation')

export function invitationView(
  invitation: Invitation,
  now: number,
  acceptUrl: string | null = null,
): InvitationView {
  return showAll(shownInvitation, {
    ...invitation,
    permissions: invitation.granted,
    status: invitationStatus(invitation, now),
    invitedBy: memberIdOf(invitation.invitedBy),
    acceptUrl,
  })
}
