/** Roles of members (interface, Operations). */
export const roles = ['CustomerAdmin', 'CustomerAuditor'] as const
/** The role of a member. */
export type Role = (typeof roles)[number]

/** Permissions that can be granted beside the role. */
export const permissions = ['Manage Integrations', 'Review Cases', 'Export Evidence'] as const
/** A right that a member may hold beside the role. */
export type Permission = (typeof permissions)[number]

/** A member of a tenant, with the rights that the session was read with. */
export interface MemberActor {
  readonly kind: 'member'
  readonly tenantId: string
  readonly memberId: string
  readonly role: Role
  /** What the member holds: granted ones and those of the role. */
  readonly permissions: readonly Permission[]
  /** Looks at the shared sandbox, whose tenant `tenantId` is: reads as at home, and changes nothing. */
  readonly guest?: true
  /** The id of the session's token; absent where the host has other sessions than ours. */
  readonly sessionId?: string
  /** When the session token ends, ms; absent where the host has other sessions than ours. */
  readonly sessionEndsAt?: number
  /** The passkey that the member signed in by; absent: they did otherwise. */
  readonly passkeyId?: string
  /** When the organization's provider signed the member in, ms; absent: they signed in otherwise. */
  readonly providerAt?: number
}

/** An application, authenticated by its key. */
export interface ApplicationActor {
  readonly kind: 'application'
  readonly tenantId: string
  readonly applicationId: string
  readonly keyId: string
}

/** Types of customer keys. */
export const customerKeyTypes = ['primary ingest', 'secondary', 'management'] as const
/** What a customer key is for; a management key sends nothing. */
export type CustomerKeyType = (typeof customerKeyTypes)[number]

/** A backend of an application, authenticated by a customer key. */
export interface CustomerKeyActor {
  readonly kind: 'customerKey'
  readonly tenantId: string
  readonly applicationId: string
  readonly keyId: string
  readonly type: CustomerKeyType
  /** Requests within a rolling minute; null: `usualRatePerMinute`. */
  readonly ratePerMinute: number | null
}

/** Staff of the deployment, which acts for no organization (interface, Staff host). */
export interface StaffActor {
  readonly kind: 'staff'
  /** 1 to 100 of `A-Z a-z 0-9 _ -`; histories and the audit log have it. */
  readonly name: string
}

/** The service itself, and its host at the start. */
export interface SystemActor {
  readonly kind: 'system'
}

/** The caller of a use case, which decides what it may do. */
export type Actor = MemberActor | ApplicationActor | CustomerKeyActor | StaffActor | SystemActor

/** The actor's name in histories and the audit log. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'member':
      return `member:${actor.memberId}`
    case 'application':
      return `application:${actor.applicationId}`
    case 'customerKey':
      return `key:${actor.keyId}`
    case 'staff':
      return `staff:${actor.name}`
    case 'system':
      return 'system'
  }
}

/**
 * The id of the member whom a stored actor's name names, for fields that only ever name members (interface, Actors).
 * Throws for the name of another actor.
 */
export function memberIdOf(name: string): string {
  const prefix = 'member:'
  if (!name.startsWith(prefix)) throw new Error(`expected the name of a member, got ${name}`)
  return name.slice(prefix.length)
}

/** The organization that the actor acts for; null for staff and the system. */
export function tenantOf(actor: Actor): string | null {
  return 'tenantId' in actor ? actor.tenantId : null
}
