import { type Permission, roles } from '../../kernel/callers/actor.ts'
import { planNames } from '../../kernel/callers/plans.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { line, name, oneOf, type RowsOf, stored, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { optional } from '../../kernel/wrap.ts'

/** What is shown of an organization. */
export const shownTenant = {
  tenantId: line(longest.id),
  name: name(longest.name),
  status: oneOf(['active', 'suspended']),
  createdAt: time,
}

/** The deletion of an organization with all its applications, and what staff checked before it; times in ms. */
export interface TenantDeletion {
  readonly requestedAt: number
  /** As in the audit log. */
  readonly requestedBy: string
  readonly purgeAt: number
  /** When the removal of the organization's own rows began; absent: the deletion can still be cancelled. */
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

/**
 * How members of an organization sign in, beside its provider. Where it is `passkey`, a password opens sessions of
 * members who have no passkey alone.
 */
export const signInModes = ['password', 'password_and_passkey', 'passkey'] as const
/** One of `signInModes`. */
export type SignInMode = (typeof signInModes)[number]

/** A model of authenticators whose signatures an organization takes. */
export interface SigningModel {
  /** Of the model: a UUID in lower case. */
  readonly aaguid: string
  /** What people call it. */
  readonly label: string
}

/** Organizations; while one is suspended every call of its members and keys is refused with 503. */
export const tenants = table({
  name: 'tenants',
  members: {
    ...shownTenant,
    /** The last suspension or its end; absent: it was never suspended. */
    statusChange: optional(stored<StatusChange>()),
    /** Absent: Builder. */
    plan: optional(oneOf(planNames)),
    /** Where it differs from the plan's. */
    retentionDays: optional(stored<number>()),
    /** A shorter retention that is to hold from a time (ms) on. */
    nextRetention: optional(stored<{ readonly days: number; readonly from: number }>()),
    /** Absent: `password_and_passkey`. */
    signIn: optional(oneOf(signInModes)),
    /** Whose authenticators sign decisions; absent: those of any model. */
    signingModels: optional(stored<readonly SigningModel[]>()),
    /** Of that list, from 1; absent: it is as it was at first. */
    signingModelsVersion: optional(stored<number>()),
    /** At first its first admin's; empty in a tombstone. */
    contactEmail: line(longest.email),
    /** ISO 3166-1 alpha-2. */
    country: optional(stored<string | null>()),
    /** An IANA identifier. */
    timezone: optional(stored<string | null>()),
    /** Absent: never since it was created. */
    profileUpdatedAt: optional(time),
    /** A deletion that staff asked for; absent or null: none is under way. */
    deletion: optional(stored<TenantDeletion | null>()),
    /** Of a tombstone, whose other members are empty or 0. */
    deletedAt: optional(time),
    updatedAt: time,
  },
  key: ['tenantId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'is the tenant itself' },
  outlives: 'leaves its tombstone',
  retain: { keep: 'a deleted one leaves its tombstone' },
})
/** An organization. */
export interface Tenant extends RowsOf<typeof tenants.members> {}

/** States of a member. */
export const memberStatuses = ['Active', 'Pending invitation', 'Suspended'] as const
/** Only `Active` members can log in and act. */
export type MemberStatus = (typeof memberStatuses)[number]

/** Which admins allow a member without authenticators to enrol another one. */
export interface EnrolmentAllowance {
  readonly admins: readonly string[]
  /** When the first of them did, ms. */
  readonly from: number
}

/** Members of tenants; e-mail addresses are unique in the whole service. */
export const members = table({
  name: 'members',
  members: {
    tenantId: line(longest.id),
    memberId: line(longest.id),
    /** Null until an invitation is accepted. */
    name: stored<string | null>(),
    /** As the member or their inviter wrote it. */
    email: line(longest.email),
    /** As it is compared: unique in the whole service; null until an invitation is accepted. */
    emailKey: stored<string | null>('text'),
    role: oneOf(roles),
    /** Beside those that the role brings. */
    granted: stored<readonly Permission[]>(),
    status: oneOf(memberStatuses),
    /** A PHC string; null until the member has chosen a password. */
    passwordHash: stored<string | null>(),
    /** When it was last chosen by a reset; absent: never. */
    passwordResetAt: optional(time),
    /** Has enrolled an authenticator for signing, and so signs each decision from then on; absent: never. */
    signsDecisions: optional(stored<true>()),
    /**
     * Has a passkey, so that a password opens no session where the organization asks for passkeys; absent: has none, or
     * staff had the password reset since.
     */
    closesPassword: optional(stored<true>()),
    /** Absent: nobody did since the last enrolment. */
    enrolmentAllowed: optional(stored<EnrolmentAllowance>()),
    /**
     * Tokens of another version are invalid: raised by a logout everywhere and by each change of role, status or
     * password.
     */
    sessionVersion: stored<number>(),
    /** The invitation that made the row; absent for who was made otherwise. */
    invitationId: optional(line(longest.id)),
    createdAt: time,
    updatedAt: time,
  },
  key: ['tenantId', 'memberId'],
  indexes: { byStatus: ['tenantId', 'status'] },
  unique: { email: { on: ['emailKey'] } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { keep: 'what they did names them' },
  // A session that was ended since the backup must not become valid again.
  restore: { raise: ['sessionVersion'] },
})
/** A member of a tenant. */
export interface Member extends RowsOf<typeof members.members> {}

/** Sessions that their own members ended; each is kept for as long as its token may live. */
export const endedSessions = table({
  name: 'endedSessions',
  members: {
    tenantId: line(longest.id),
    /** The `jti` of the session's token. */
    tokenId: line(longest.id),
    memberId: line(longest.id),
    endedAt: time,
  },
  key: ['tenantId', 'tokenId'],
  indexes: { byAge: ['endedAt'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  // A token lives for 24 hours.
  retain: { by: 'endedAt', days: 2 },
})

/** Statements that were signed for a sign-in or a change, each good once; a row outlives its statement. */
export const spentStatements = table({
  name: 'spentStatements',
  members: {
    tenantId: line(longest.id),
    /** Of the statement. */
    nonce: line(longest.id),
    spentAt: time,
  },
  key: ['tenantId', 'nonce'],
  indexes: { byAge: ['spentAt'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  // A statement is good for 5 minutes.
  retain: { by: 'spentAt', days: 1 },
})

/** Letters that were sent of late, by what they are about: those of the last hour bound how many more are. */
export const countedLetters = table({
  name: 'countedLetters',
  members: {
    tenantId: line(longest.id),
    kind: line(longest.id),
    /** Ms, of the last hour. */
    sentAt: stored<readonly number[]>(),
    lastSentAt: time,
  },
  key: ['tenantId', 'kind'],
  indexes: { byAge: ['lastSentAt'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  // They count for an hour.
  retain: { by: 'lastSentAt', days: 1 },
})

/** Kinds of tries, each with its own throttle. `logins` also counts accepted invitations and changes of passwords. */
export const throttledTries = ['logins', 'resets'] as const
/** One of `throttledTries`. */
export type ThrottledTries = (typeof throttledTries)[number]

/** Failed tries as counted at the last write; `throttleCapacities` bounds the rows. */
export const failedTries = table({
  name: 'failedTries',
  members: {
    tries: oneOf(throttledTries),
    /** `email`, `address` or `device`, and the hex SHA-256 of it. */
    key: text(longest.id),
    count: stored<number>(),
    lastAt: time,
  },
  key: ['tries', 'key'],
  indexes: { byAge: ['lastAt'] },
  tenant: 'system',
  purge: { keep: 'belongs to no application' },
  // They count for an hour.
  retain: { by: 'lastAt', days: 1 },
})
/** Failed tries of one e-mail, address or device. */
export interface FailedTries extends RowsOf<typeof failedTries.members> {}

/** The active admins of each tenant: one row that every change of them writes, so that the last can't be removed. */
export const rosters = table({
  name: 'rosters',
  members: {
    tenantId: line(longest.id),
    admins: stored<readonly string[]>(),
    /** When those became one who did by another admin, ms; absent: whom staff made one alone are there. */
    since: optional(stored<Readonly<Record<string, number>>>()),
    /** When those lost the rights of one who did a moment ago, ms. */
    lost: optional(stored<Readonly<Record<string, number>>>()),
  },
  key: ['tenantId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
})
/** The tenant's active admins. */
export interface Roster extends RowsOf<typeof rosters.members> {}
