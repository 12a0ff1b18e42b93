import type { Actor, MemberActor } from '../../kernel/callers/actor.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import type { LoginCaller, LoginView, MemberView } from '../access/view.ts'

/** A link with which a member chooses another password. */
export interface PasswordResetView {
  readonly tenantId: string
  readonly memberId: string
  /** Has the token behind `#`. */
  readonly resetUrl: string
  readonly expiresAt: string
}

/** Passwords of members. Each may refuse as `Service` says besides. */
export interface PasswordUseCases {
  /**
   * Changes the member's own password, ends all their sessions and issues one in place of the caller's. Refuses with
   * `invalid_request`, `invalid_credentials` where `current` is wrong, `busy` while too many passwords are being
   * checked, and `too_many_attempts`.
   */
  changePassword(
    actor: MemberActor,
    input: LoginCaller & { readonly current: string; readonly next: string },
  ): Promise<Result<LoginView>>
  /**
   * Asks for a mail with the link of a reset. Does and answers the same whether or not a member has the address; the
   * mail goes out in the background, at most three an hour, to an active member of an active organization. Nothing is
   * sent without a mailer. Refuses nothing of its own.
   */
  requestPasswordReset(input: LoginCaller & { readonly email: string }): Promise<Result<null>>
  /**
   * Makes the link of a reset without a mail, by staff or the system. Refuses with `not_found` an address that no
   * active member with a password has, `account_suspended`.
   */
  issuePasswordReset(
    actor: Actor,
    input: { readonly email: string },
  ): Promise<Result<PasswordResetView>>
  /**
   * Chooses a password by the token of a reset, which is good once and for an hour, and ends all sessions of the member.
   * Refuses with `invalid_request`, `not_found` (unknown, used, too late, or void by a later change of the member),
   * `account_suspended`, `busy` while too many passwords are being hashed, and `too_many_attempts`.
   */
  acceptPasswordReset(
    input: LoginCaller & { readonly token: string; readonly password: string },
  ): Promise<Result<{ readonly member: MemberView; readonly tenantId: string }>>
}
