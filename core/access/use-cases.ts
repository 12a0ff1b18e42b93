import type { ListQuery, Pieces } from '../ledger/listing.ts'
import type { PartOf } from '../ledger/read-part.ts'
import type { Result } from '../ledger/refusal.ts'
import type {
  Actor,
  ApplicationActor,
  CustomerKeyActor,
  CustomerKeyType,
  MemberActor,
  Permission,
  Role,
} from './actor.ts'
import type { MembershipUseCases } from './membership/use-cases.ts'
import type { PasswordUseCases } from './passwords/use-cases.ts'
import type { PlanName } from './plans.ts'
import type {
  ApplicationKeyView,
  CustomerKeyView,
  LoginCaller,
  LoginView,
  MemberSessionView,
  MemberView,
  NewApplicationKeyView,
  NewCustomerKeyView,
  NewMember,
  StaffCustomerKeyView,
  TenantStatusView,
  TenantView,
} from './view.ts'

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
   * Suspends an organization, by staff or the system: every call of its members and keys that begins after the commit
   * is refused with `account_suspended`, and what was committed before is still sent. A suspended one stays as it is.
   * Refuses with `not_found`, `invalid_request`.
   */
  suspendTenant(
    actor: Actor,
    tenantId: string,
    input: { readonly reason: string },
  ): Promise<Result<TenantStatusView>>
  /** Ends a suspension; an active organization stays as it is. As `suspendTenant`. */
  resumeTenant(
    actor: Actor,
    tenantId: string,
    input: { readonly reason: string },
  ): Promise<Result<TenantStatusView>>
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
  /** The application's keys, without their values. Refuses with `not_found`. */
  listApplicationKeys(
    actor: Actor,
    applicationId: string,
  ): Promise<Result<readonly ApplicationKeyView[]>>
  /**
   * Creates a key; the answer alone shows its value. Refuses with `not_found`, `application_gone`, `invalid_request`,
   * `application_key_limit`.
   */
  createApplicationKey(
    actor: Actor,
    applicationId: string,
    input: { readonly label: string },
  ): Promise<Result<NewApplicationKeyView>>
  /** Revokes a key for good; a revoked key stays as it is. Refuses with `not_found`. */
  revokeApplicationKey(
    actor: Actor,
    applicationId: string,
    keyId: string,
  ): Promise<Result<ApplicationKeyView>>
  /**
   * Issues a customer key, by the system. `ratePerMinute`: requests within a rolling minute, from 1; 600 unless given.
   * Refuses with `not_found`, `application_gone`, `too_many_keys`.
   */
  issueCustomerKey(
    actor: Actor,
    input: {
      readonly tenantId: string
      readonly applicationId: string
      readonly type: CustomerKeyType
      readonly ratePerMinute?: number
    },
  ): Promise<Result<NewCustomerKeyView>>
  /** The customer keys of all the tenant's applications, oldest first, without their values. Refuses nothing of its own. */
  listCustomerKeys<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, CustomerKeyView>>>
  /** All of them, read as they are asked for. */
  allCustomerKeys(actor: Actor): Promise<Result<Pieces<CustomerKeyView>>>
  /**
   * Issues a secondary customer key; the answer alone shows its value. Refuses with `not_found`, `application_gone`,
   * `too_many_keys` with 10 active keys of the application.
   */
  issueSecondaryKey(
    actor: Actor,
    input: { readonly applicationId: string },
  ): Promise<Result<NewCustomerKeyView>>
  /**
   * Revokes a customer key for good: no request that begins after the commit is let in by it. A revoked key stays as it
   * is. Refuses with `not_found`.
   */
  revokeCustomerKey(actor: Actor, keyId: string): Promise<Result<CustomerKeyView>>
  /**
   * Sets how many requests a customer key of any tenant may send within a rolling minute, by staff or the system: 1 to
   * 1,000,000; null or absent: 600. Refuses with `not_found`, `invalid_request`.
   */
  setCustomerKeyRate(
    actor: Actor,
    keyId: string,
    input: { readonly ratePerMinute?: number | null },
  ): Promise<Result<StaffCustomerKeyView>>
}
