import type { ListQuery } from '../../ledger/listing.ts'
import type { PartOf } from '../../ledger/read-part.ts'
import type { Result } from '../../ledger/refusal.ts'
import type { Actor, Permission, Role } from '../actor.ts'
import type { MemberStatus } from '../records.ts'
import type { LoginCaller, MemberView } from '../view.ts'
import type { InvitationView, MemberRecordView } from './view.ts'

/** Members of an organization and invitations to it. Each may refuse as `Service` says besides. */
export interface MembershipUseCases {
  /** Members, pending ones included, the oldest first. */
  listMembers<Query extends ListQuery>(
    actor: Actor,
    query: Query & { readonly status?: MemberStatus },
  ): Promise<Result<PartOf<Query, MemberRecordView>>>
  /**
   * Sets role and granted permissions, of a pending member too, and ends their sessions. Withdraws the pending
   * invitations of who is an admin no more. Refuses with `not_found`, `invalid_request`, `last_admin`.
   */
  setRole(
    actor: Actor,
    memberId: string,
    input: { readonly role: Role; readonly permissions: readonly Permission[] },
  ): Promise<Result<MemberRecordView>>
  /**
   * Suspends a member, ends their sessions and withdraws their pending invitations; a suspended one stays as they are.
   * Refuses with `not_found`, `invalid_request`, `last_admin`, and `invalid_transition` a pending member.
   */
  deactivateMember(
    actor: Actor,
    memberId: string,
    input: { readonly confirm: boolean },
  ): Promise<Result<MemberRecordView>>
  /** Lets a suspended member log in again. Refuses with `not_found`, `invalid_transition` a pending member. */
  reactivateMember(actor: Actor, memberId: string): Promise<Result<MemberRecordView>>
  /** Invitations, the newest first; those that ended are listed for 30 days. */
  listInvitations<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, InvitationView>>>
  /**
   * Invites an address for 72 hours, as CustomerAuditor unless told otherwise. The answer has `acceptUrl` where the
   * host has no mailer. Refuses with `invalid_request`, `already_member`, `already_invited`, `invitation_limit`.
   */
  invite(
    actor: Actor,
    input: {
      readonly email: string
      readonly role?: Role
      readonly permissions?: readonly Permission[]
    },
  ): Promise<Result<InvitationView>>
  /** Sends a new token, valid for 72 hours, in place of the last. Refuses with `not_found`, `invalid_transition`. */
  resendInvitation(actor: Actor, invitationId: string): Promise<Result<InvitationView>>
  /** Ends a pending invitation; a withdrawn one stays as it is. Refuses with `not_found`, `invalid_transition`. */
  withdrawInvitation(actor: Actor, invitationId: string): Promise<Result<InvitationView>>
  /**
   * Makes the invitee an active member, without a session. Refuses with `invalid_request`, `not_found`,
   * `invitation_expired` (used, withdrawn or too late), `email_taken`, `account_suspended`, `busy` while too many
   * passwords are being hashed, and `too_many_attempts`.
   */
  acceptInvitation(
    input: LoginCaller & {
      readonly token: string
      readonly name: string
      readonly password: string
    },
  ): Promise<Result<{ readonly member: MemberView; readonly tenantId: string }>>
}
