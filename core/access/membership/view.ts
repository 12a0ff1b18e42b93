import type { Permission, Role } from '../actor.ts'
import type { MemberStatus } from '../records.ts'
import type { MemberView } from '../view.ts'
import type { InvitationStatus } from './records.ts'

/** A member as the organization's list shows them. */
export interface MemberRecordView extends Omit<MemberView, 'name'> {
  /** Null until an invitation is accepted. */
  readonly name: string | null
  /** Those granted beside the role, as they were asked for. */
  readonly permissions: readonly Permission[]
  readonly status: MemberStatus
  readonly addedAt: string
  /** Null for members who are not pending. */
  readonly invitation: { readonly invitationId: string; readonly expiresAt: string } | null
}

/** An invitation as it is returned. */
export interface InvitationView {
  readonly invitationId: string
  readonly memberId: string
  readonly email: string
  readonly role: Role
  /** Those granted beside the role, as they were asked for. */
  readonly permissions: readonly Permission[]
  readonly status: InvitationStatus
  /** A member's id. */
  readonly invitedBy: string
  readonly createdAt: string
  readonly expiresAt: string
  /** Where the invitee accepts; null where the token was sent by mail, and in every later answer. */
  readonly acceptUrl: string | null
}
