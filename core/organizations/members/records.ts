import { type Permission, roles } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { line, oneOf, type RowsOf, stored, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'

/** States of an invitation. */
export const invitationStatuses = ['pending', 'accepted', 'expired', 'withdrawn'] as const
/** The state of an invitation; all but `pending` are final. */
export type InvitationStatus = (typeof invitationStatuses)[number]

/** Days that an invitation stays once it ended. */
export const endedInvitationDays = 30

/** Invitations, each with its pending member among `members`; one address has at most one pending invitation of a tenant. */
export const invitations = table({
  name: 'invitations',
  members: {
    tenantId: line(longest.id),
    invitationId: line(longest.id),
    memberId: line(longest.id),
    /** As the admin wrote it. */
    email: line(longest.email),
    emailKey: line(longest.email),
    role: oneOf(roles),
    /** Beside those that the role brings. */
    granted: stored<readonly Permission[]>(),
    status: oneOf(invitationStatuses),
    /** Hex SHA-256 of the token that was sent last. */
    tokenHash: line(longest.id),
    /** The actor's name. */
    invitedBy: line(longest.id),
    createdAt: time,
    /** 72 hours after the token was sent. */
    expiresAt: time,
    /** When it ended, or will unless it is sent again. */
    endsAt: time,
  },
  key: ['tenantId', 'invitationId'],
  indexes: { byAge: ['endsAt'] },
  unique: {
    token: { on: ['tokenHash'] },
    pending: { on: ['tenantId', 'emailKey'], when: { column: 'status', is: 'pending' } },
  },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { by: 'endsAt', days: endedInvitationDays },
})
/** An invitation to become a member. */
export interface Invitation extends RowsOf<typeof invitations.members> {}
