import type { CallerSignal } from '../../base/ports/secrets.ts'
import type { Permission, Role } from '../../kernel/callers/actor.ts'

/** A member as they are returned. */
export interface MemberView {
  readonly memberId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  /** What the member holds: those of the role and those granted beside it. */
  readonly permissions: readonly Permission[]
}

/** Who is logged in. */
export interface MemberSessionView {
  readonly member: MemberView
  readonly tenantId: string
  /** Null where the host has other sessions than ours. */
  readonly expiresAt: string | null
}

/** The answer to a login. */
export interface LoginView extends MemberSessionView {
  readonly token: string
  readonly expiresAt: string
  /** For the device to keep and to send with its next logins. */
  readonly device: { readonly token: string; readonly seconds: number }
}

/** Who tries to log in, as far as the throttle tells callers apart. */
export interface LoginCaller {
  /** Network address. */
  readonly address: string
  /** The device token of an earlier login, if the caller sent one. */
  readonly device?: string | null
  /** Aborted when the caller has left: a password check that waits for its turn is then dropped. */
  readonly signal?: CallerSignal
}

/** Whom to create. */
export interface NewMember {
  readonly name: string
  readonly email: string
  readonly password: string
}
