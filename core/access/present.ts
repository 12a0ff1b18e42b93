import { isoTime, isoTimeOrNull } from '../ledger/iso-time.ts'
import type { SessionClaims } from '../ports/secrets.ts'
import type { MemberActor } from './actor.ts'
import { permissionsOf } from './authorize.ts'
import type { Member, Tenant } from './records.ts'
import type { MemberView, TenantStatusView, TenantView } from './view.ts'

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
