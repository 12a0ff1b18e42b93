import type {
  Actor,
  ApplicationActor,
  CustomerKeyActor,
  MemberActor,
} from '../../kernel/callers/actor.ts'
import type { PlanFeature } from '../../kernel/callers/plans.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import type { LoginCaller } from './caller.ts'

/** How hosts come to know their callers. Each may refuse as `Service` says besides. */
export interface AccessUseCases {
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
}
