import type {
  Actor,
  ApplicationActor,
  CustomerKeyActor,
  MemberActor,
  Permission,
  Role,
} from '../../kernel/callers/actor.ts'
import type { PlanFeature, PlanName } from '../../kernel/callers/plans.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import type { MembershipUseCases } from '../members/use-cases.ts'
import type { PasswordUseCases } from '../passwords/use-cases.ts'
import type { TenantView } from './present.ts'
import type { LoginCaller, LoginView, MemberSessionView, MemberView, NewMember } from './view.ts'

/** Tenants, members, login, sessions and keys. Each may refuse as `Service` says besides. */
export interface AccessUseCases extends MembershipUseCases, PasswordUseCases {
  /**
   * Whether the records are there that the ids of a path name, by the names of the path's parameters; for a host that
   * has a refusal of the request at hand, before which 404 and 410 come. Refuses with `not_found`, and with
   * `application_gone` where `active` asks that the application which is named, or has the session, take data.
   */
  checkNamed(
    actor: Actor,
    named: Readonly<Record<string, string>>,
    options: { readonly active: boolean },
  ): Promise<Result<null>>
  /** Refuses with `plan_required` what the plan of the actor's organization does not include; staff and the system have none. */
  checkFeature(actor: Actor, feature: PlanFeature): Promise<Result<null>>
  /**
   * An organization and its first CustomerAdmin in one commit, by the system. Refuses with `invalid_request`, also
   * for an e-mail address in use, and `busy` while too many passwords are being hashed.
   */
  createTenant(
    actor: Actor,
    input: { readonly name: string; readonly admin: NewMember; readonly plan?: PlanName },
  ): Promise<Result<{ readonly tenant: TenantView; readonly admin: MemberView }>>
  /**
   * An active member with a password, by the system. Refuses with `not_found`, `invalid_request`, also for an e-mail
   * address in use, and `busy` while too many passwords are being hashed.
   */
  createMember(
    actor: Actor,
    tenantId: string,
    input: NewMember & { readonly role: Role; readonly permissions: readonly Permission[] },
  ): Promise<Result<MemberView>>
  /**
   * Issues a session. Refuses with `invalid_credentials`, `account_suspended`, `busy` while too many passwords are being
   * checked, and `too_many_attempts` (`retryAfter` says when to try again).
   */
  login(
    input: LoginCaller & { readonly email: string; readonly password: string },
  ): Promise<Result<LoginView>>
  /**
   * Refuses with `too_many_attempts` a caller who may not try to log in now; asked before the credentials are read.
   */
  admitLogin(caller: LoginCaller): Promise<Result<null>>
  /** Counts a try whose credentials could not be read as a failed one. */
  rejectLogin(caller: LoginCaller): Promise<void>
  /** The member's e-mail, as a hash, that a device token was issued for, or null; all their devices have the same. */
  knownDevice(token: string | null): Promise<string | null>
  /**
   * The member behind a session token, as the store has them now. Refuses with `authentication_required`,
   * `account_suspended`.
   */
  authenticateMember(token: string): Promise<Result<MemberActor>>
  /**
   * The application behind the value of an application key. Refuses with `authentication_required`,
   * `account_suspended`.
   */
  authenticateApplication(key: string): Promise<Result<ApplicationActor>>
  /**
   * The backend behind the secret segment of a customer key; `component`, where given, must be the key's. Refuses with
   * `authentication_required`, `account_suspended`.
   */
  authenticateCustomerKey(
    secret: string,
    component?: string | null,
  ): Promise<Result<CustomerKeyActor>>
  /** The member and the organization of a session. Refuses with `authentication_required`. */
  session(actor: MemberActor): Promise<Result<MemberSessionView>>
  /** Ends the session that the actor came with, or every session of the member. */
  logout(actor: MemberActor, input?: { readonly everywhere?: boolean }): Promise<Result<null>>
}
