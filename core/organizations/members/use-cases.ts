import type { Result } from '../../kernel/ledger/refusal.ts'
import type { LoginCaller, MemberView } from '../access/view.ts'

/** Invitations, for who is invited. Each may refuse as `Service` says besides. */
export interface MembershipUseCases {
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
