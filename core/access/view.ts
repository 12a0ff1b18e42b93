import type { CallerSignal } from '../ports/secrets.ts'
import type { CustomerKeyType, Permission, Role } from './actor.ts'

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

/** A tenant as it is returned. */
export interface TenantView {
  readonly tenantId: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly createdAt: string
}

/** A tenant as staff sees it. */
export interface TenantStatusView extends TenantView {
  /** Why it was suspended or resumed; null where neither came. */
  readonly statusReason: string | null
  /** `staff:<name>` or `system`. */
  readonly statusChangedBy: string | null
  readonly statusChangedAt: string | null
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

/** A customer key as it is listed; the value is never shown again. */
export interface CustomerKeyView {
  readonly keyId: string
  /** Masked: `svc_cust_<slug>.<component>`. */
  readonly prefix: string
  readonly applicationId: string
  readonly type: CustomerKeyType
  readonly createdAt: string
  readonly createdBy: string
  /** By the hour. */
  readonly lastUsedAt: string | null
  readonly status: 'Active' | 'Revoked'
  readonly revokedAt: string | null
  /** When another key should have taken its place; null once it is revoked. */
  readonly rotationDueAt: string | null
  /** Active, and not used for 30 days: to be revoked. */
  readonly unused30d: boolean
}

/** A customer key as staff sees it. */
export interface StaffCustomerKeyView extends CustomerKeyView {
  readonly tenantId: string
  /** Requests within a rolling minute; null: 600. */
  readonly ratePerMinute: number | null
}

/** The answer that creates a customer key, with its value. */
export interface NewCustomerKeyView extends CustomerKeyView {
  /** The whole key; calls send its last segment in `X-API-Key`. */
  readonly value: string
}

/** Whom to create. */
export interface NewMember {
  readonly name: string
  readonly email: string
  readonly password: string
}
