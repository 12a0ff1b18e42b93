import type { Permission, Role } from '../../callers/actor.ts'
import type { Collection } from '../../ports/store.ts'

/** States of an invitation. */
export const invitationStatuses = ['pending', 'accepted', 'expired', 'withdrawn'] as const
/** The state of an invitation; `pending` is the only one that ends. */
export type InvitationStatus = (typeof invitationStatuses)[number]

/** An invitation to become a member; its pending member is a row of `members`. */
export interface Invitation {
  readonly tenantId: string
  readonly invitationId: string
  readonly memberId: string
  /** As the admin wrote it. */
  readonly email: string
  readonly emailKey: string
  readonly role: Role
  /** Beside those that the role brings. */
  readonly granted: readonly Permission[]
  readonly status: InvitationStatus
  /** Hex SHA-256 of the token that was sent last. */
  readonly tokenHash: string
  /** The actor's name. */
  readonly invitedBy: string
  readonly createdAt: number
  /** Ms: 72 hours after the token was sent. */
  readonly expiresAt: number
  /** Ms: when it ended, or will unless it is sent again. */
  readonly endsAt: number
}

/** Days that an invitation stays once it ended. */
export const endedInvitationDays = 30

/** Invitations; one address has at most one pending invitation of a tenant. */
export const invitations: Collection<Invitation> = {
  name: 'invitations',
  key: ['tenantId', 'invitationId'],
  columns: {
    tenantId: 'text',
    invitationId: 'text',
    emailKey: 'text',
    status: 'text',
    tokenHash: 'text',
    endsAt: 'int',
  },
  indexes: { byAge: ['endsAt'] },
  unique: {
    token: { on: ['tokenHash'] },
    pending: { on: ['tenantId', 'emailKey'], when: { column: 'status', is: 'pending' } },
  },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { by: 'endsAt', days: endedInvitationDays },
}
