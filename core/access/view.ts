import type { Permission, Role } from './actor.ts'

/** A member as they are returned. */
export interface MemberView {
  readonly memberId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly permissions: readonly Permission[]
}

/** Who is logged in. */
export interface SessionView {
  readonly member: MemberView
  readonly tenantId: string
  /** Null where the host has other sessions than ours. */
  readonly expiresAt: string | null
}

/** The answer to a login. */
export interface LoginView extends SessionView {
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
}

/** A tenant as it is returned. */
export interface TenantView {
  readonly tenantId: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly createdAt: string
}

/** An application key as it is listed; the value is never shown again. */
export interface ApplicationKeyView {
  readonly keyId: string
  /** Masked: the first characters alone. */
  readonly prefix: string
  readonly applicationId: string
  readonly label: string
  readonly createdAt: string
  readonly createdBy: string
  readonly status: 'Active' | 'Revoked'
  readonly revokedAt: string | null
}

/** The answer that creates a key, with its value. */
export interface NewApplicationKeyView extends ApplicationKeyView {
  /** What the application sends; shown in this answer and never again. */
  readonly value: string
}

/** Whom to create. */
export interface NewMember {
  readonly name: string
  readonly email: string
  readonly password: string
}
