import { isoTime, isoTimeOrNull } from '../ledger/iso-time.ts'
import { keyHygiene } from '../ledger/limits.ts'
import type { SessionClaims } from '../ports/secrets.ts'
import { type MemberActor, memberIdOf } from './actor.ts'
import { permissionsOf } from './authorize.ts'
import type { ApplicationKey, CustomerKey, Member, Tenant } from './records.ts'
import type {
  ApplicationKeyView,
  CustomerKeyView,
  MemberView,
  StaffCustomerKeyView,
  TenantStatusView,
  TenantView,
} from './view.ts'

export function tenantView(tenant: Tenant): TenantView {
  const { tenantId, name, status, createdAt } = tenant
  return { tenantId, name, status, createdAt: isoTime(createdAt) }
}

export function tenantStatusView(tenant: Tenant): TenantStatusView {
  const { statusChange: change } = tenant
  return {
    ...tenantView(tenant),
    statusReason: change?.reason ?? null,
    statusChangedBy: change?.by ?? null,
    statusChangedAt: isoTimeOrNull(change?.at ?? null),
  }
}

export function memberView(member: Member): MemberView {
  const { memberId, name, email, role, granted } = member
  return {
    memberId,
    // Pending members, who have no name yet, have no session either.
    name: name ?? memberId,
    email,
    role,
    permissions: permissionsOf(role, granted),
  }
}

/** The actor of a member. */
export function memberActor(
  member: Member,
  { tokenId: sessionId, expiresAt }: Pick<SessionClaims, 'tokenId' | 'expiresAt'>,
): MemberActor {
  const { tenantId, memberId, role, granted } = member
  const held = permissionsOf(role, granted)
  const sessionEndsAt = expiresAt * 1000
  return { kind: 'member', tenantId, memberId, role, permissions: held, sessionId, sessionEndsAt }
}

export function applicationKeyView(key: ApplicationKey): ApplicationKeyView {
  const { keyId, prefix, applicationId, label, createdAt, createdBy, revokedAt } = key
  return {
    keyId,
    prefix,
    applicationId,
    label,
    createdAt: isoTime(createdAt),
    createdBy: memberIdOf(createdBy),
    status: revokedAt === null ? 'Active' : 'Revoked',
    revokedAt: isoTimeOrNull(revokedAt),
  }
}

const dayMs = 86_400_000

/** A key as it is shown at `now`, with what is advised of it then. */
export function customerKeyView(key: CustomerKey, now: number): CustomerKeyView {
  const { keyId, prefix, applicationId, type, createdAt, createdBy, lastUsedAt, revokedAt } = key
  const active = revokedAt === null
  return {
    keyId,
    prefix,
    applicationId,
    type,
    createdAt: isoTime(createdAt),
    createdBy,
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    status: active ? 'Active' : 'Revoked',
    revokedAt: isoTimeOrNull(revokedAt),
    rotationDueAt: active ? isoTime(createdAt + keyHygiene.rotationDays * dayMs) : null,
    unused30d: active && (lastUsedAt ?? createdAt) + keyHygiene.unusedDays * dayMs <= now,
  }
}

export function staffCustomerKeyView(key: CustomerKey, now: number): StaffCustomerKeyView {
  const { tenantId, ratePerMinute } = key
  return { tenantId, ...customerKeyView(key, now), ratePerMinute }
}
