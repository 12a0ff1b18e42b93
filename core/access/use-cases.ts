import type { Result } from '../ledger/refusal.ts'
import type { Actor, ApplicationActor, MemberActor, Permission, Role } from './actor.ts'
import type {
  ApplicationKeyView,
  LoginCaller,
  LoginView,
  MemberView,
  NewApplicationKeyView,
  NewMember,
  SessionView,
  TenantView,
} from './view.ts'

/** Tenants, members, login, sessions and application keys. */
export interface AccessUseCases {
  /** By the system: an organization and its first CustomerAdmin, in one commit. */
  createTenant(
    actor: Actor,
    input: { readonly name: string; readonly admin: NewMember },
  ): Promise<Result<{ readonly tenant: TenantView; readonly admin: MemberView }>>
  /** By the system: an active member with a password. */
  createMember(
    actor: Actor,
    tenantId: string,
    input: NewMember & { readonly role: Role; readonly permissions: readonly Permission[] },
  ): Promise<Result<MemberView>>
  login(
    input: LoginCaller & { readonly email: string; readonly password: string },
  ): Promise<Result<LoginView>>
  /** Refuses a caller who may not try to log in now; to be asked before the credentials are read. */
  admitLogin(caller: LoginCaller): Promise<Result<null>>
  /** Counts a try whose credentials could not be read as a failed one. */
  rejectLogin(caller: LoginCaller): Promise<void>
  /** The id of the device that a device token was issued to, or null. */
  knownDevice(token: string | null): Promise<string | null>
  /** The member behind a session token, as the store has them now. */
  authenticateMember(token: string): Promise<Result<MemberActor>>
  /** The application behind the value of an application key. */
  authenticateApplication(key: string): Promise<Result<ApplicationActor>>
  session(actor: MemberActor): Promise<Result<SessionView>>
  /** Ends the session that the actor came with, or every session of the member. */
  logout(actor: MemberActor, input?: { readonly everywhere?: boolean }): Promise<Result<null>>
  listApplicationKeys(
    actor: Actor,
    applicationId: string,
  ): Promise<Result<readonly ApplicationKeyView[]>>
  createApplicationKey(
    actor: Actor,
    applicationId: string,
    input: { readonly label: string },
  ): Promise<Result<NewApplicationKeyView>>
  revokeApplicationKey(
    actor: Actor,
    applicationId: string,
    keyId: string,
  ): Promise<Result<ApplicationKeyView>>
}
