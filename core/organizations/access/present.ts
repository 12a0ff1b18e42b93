import type { SessionClaims } from '../../base/ports/secrets.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { permissionsOf } from '../../kernel/callers/authorize.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { object, showAll } from '../../kernel/members.ts'
import {
  type InsOf,
  line,
  name,
  type OutsOf,
  type RowsOf,
  type Shape,
  time,
} from '../../kernel/shape.ts'
import { orNull } from '../../kernel/wrap.ts'
import { type Member, shownTenant, type Tenant } from './records.ts'
import type { MemberView } from './view.ts'

const tenantStatus = {
  ...shownTenant,
  /** Why it was suspended or resumed; null where neither came. */
  statusReason: orNull(name(longest.staffReason)),
  /** `staff:<name>` or `system`. */
  statusChangedBy: orNull(line(longest.id)),
  statusChangedAt: orNull(time),
}

/** A tenant as it is returned. */
export interface TenantView extends OutsOf<typeof shownTenant> {}
/** A tenant as staff sees it. */
export interface TenantStatusView extends OutsOf<typeof tenantStatus> {}

export const tenantStatusShape: Shape<
  RowsOf<typeof tenantStatus>,
  InsOf<typeof tenantStatus>,
  TenantStatusView
> = object(tenantStatus, 'TenantStatus')

export function tenantView(row: Tenant): TenantView {
  return showAll(shownTenant, row)
}

export function tenantStatusView(row: Tenant): TenantStatusView {
  const { at = null, by = null, reason = null } = row.statusChange ?? {}
  const change = { statusReason: reason, statusChangedBy: by, statusChangedAt: at }
  return showAll(tenantStatus, { ...row, ...change })
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
