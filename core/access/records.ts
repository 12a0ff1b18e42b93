import type { Permission, Role } from '../callers/actor.ts'
import type { PlanName } from '../callers/plans.ts'
import type { Collection } from '../ports/store.ts'

/** An organization; while it is suspended every call of its members and keys is refused with 503. */
export interface Tenant {
  readonly tenantId: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  /** The last suspension or its end; absent: neither came. */
  readonly statusChange?: StatusChange
  /** Absent: Builder. */
  readonly plan?: PlanName
  /** Where it differs from the plan's. */
  readonly retentionDays?: number
  /** A shorter retention that is to hold from a time (ms) on. */
  readonly nextRetention?: { readonly days: number; readonly from: number }
  /** At first its first admin's; empty in a tombstone. */
  readonly contactEmail: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string | null
  /** An IANA identifier. */
  readonly timezone?: string | null
  /** Absent: never since it was created. */
  readonly profileUpdatedAt?: number
  /** A deletion that staff asked for; absent or null: none is under way. */
  readonly deletion?: TenantDeletion | null
  /** Of a tombstone, whose other members are empty or 0. */
  readonly deletedAt?: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** The deletion of an organization with all its applications, and what staff saw before; times in ms. */
export interface TenantDeletion {
  readonly requestedAt: number
  /** As in the audit log. */
  readonly requestedBy: string
  readonly purgeAt: number
  /** When the rows of the organization itself began to go; absent: all are there, and it can be taken back. */
  readonly begunAt?: number
  /** Applications that were active when it was asked for. */
  readonly applicationIds: readonly string[]
  readonly ticket: string
  readonly identity: {
    readonly method: string
    readonly verifiedBy: string
    readonly verifiedAt: number
  }
  readonly authorizationForm: {
    /** Hex. */
    readonly sha256: string
    readonly signedBy: string
    readonly signedAt: number
  }
}

/** A suspension, or its end. */
export interface StatusChange {
  readonly at: number
  /** As in the audit log. */
  readonly by: string
  /** Free text of staff's own, which the organization does not see. */
  readonly reason: string
}

/** Organizations. */
export const tenants: Collection<Tenant> = {
  name: 'tenants',
  key: ['tenantId'],
  columns: { tenantId: 'text', status: 'text' },
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'is the tenant itself' },
  outlives: 'leaves its tombstone',
  retain: { keep: 'a deleted one leaves its tombstone' },
}

/** States of a member. */
export const memberStatuses = ['Active', 'Pending invitation', 'Suspended'] as const
/** Only `Active` members can log in and act. */
export type MemberStatus = (typeof memberStatuses)[number]

/** A member of a tenant. */
export interface Member {
  readonly tenantId: string
  readonly memberId: string
  /** Null until an invitation is accepted. */
  readonly name: string | null
  /** As the member wrote it, or who invited them. */
  readonly email: string
  /** As it is compared: unique in the whole service; null until an invitation is accepted. */
  readonly emailKey: string | null
  readonly role: Role
  /** Beside those that the role brings. */
  readonly granted: readonly Permission[]
  readonly status: MemberStatus
  /** A PHC string; null until the member has chosen a password. */
  readonly passwordHash: string | null
  /**
   * Tokens of another version are invalid: raised by a logout everywhere and by each change of role, status or
   * password.
   */
  readonly sessionVersion: number
  /** The invitation that made the row; absent for who was made otherwise. */
  readonly invitationId?: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Members of tenants; e-mail addresses are unique in the whole service. */
export const members: Collection<Member> = {
  name: 'members',
  key: ['tenantId', 'memberId'],
  columns: { tenantId: 'text', memberId: 'text', emailKey: 'text', status: 'text' },
  indexes: { byStatus: ['tenantId', 'status'] },
  unique: { email: { on: ['emailKey'] } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { keep: 'what they did names them' },
  // A session that was ended since the backup must not hold again.
  restore: { raise: ['sessionVersion'] },
}

/** A session that its own member ended; kept for as long as a token may live. */
export interface EndedSession {
  readonly tenantId: string
  /** The `jti` of the session's token. */
  readonly tokenId: string
  readonly memberId: string
  readonly endedAt: number
}

export const endedSessions: Collection<EndedSession> = {
  name: 'endedSessions',
  key: ['tenantId', 'tokenId'],
  columns: { tenantId: 'text', tokenId: 'text', endedAt: 'int' },
  indexes: { byAge: ['endedAt'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  // A token lives for 24 hours.
  retain: { by: 'endedAt', days: 2 },
}

/** Tries that a throttle of their own counts: logins with invitations and changes of passwords, and resets of passwords. */
export type ThrottledTries = 'logins' | 'resets'

/** Failed tries of one e-mail, address or device, as they were counted at the last write. */
export interface FailedTries {
  readonly tries: ThrottledTries
  /** `email`, `address` or `device`, and the hex SHA-256 of it. */
  readonly key: string
  readonly count: number
  /** Ms. */
  readonly lastAt: number
}

/** Failed tries that are remembered, a bounded number (`throttleCapacities`). */
export const failedTries: Collection<FailedTries> = {
  name: 'failedTries',
  key: ['tries', 'key'],
  columns: { tries: 'text', key: 'text', lastAt: 'int' },
  indexes: { byAge: ['lastAt'] },
  tenant: 'system',
  purge: { keep: 'belongs to no application' },
  // They count for an hour.
  retain: { by: 'lastAt', days: 1 },
}

/** The tenant's active admins: one row written by every change of the set, so that concurrent changes conflict. */
export interface Roster {
  readonly tenantId: string
  readonly admins: readonly string[]
}

/** One row per tenant, written by every change of its admins, so that the last admin can't be removed. */
export const rosters: Collection<Roster> = {
  name: 'rosters',
  key: ['tenantId'],
  columns: { tenantId: 'text' },
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
}
