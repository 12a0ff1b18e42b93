import type { SessionClaims } from '../../base/ports/secrets.ts'
import { type MemberActor, permissions, roles } from '../../kernel/callers/actor.ts'
import { permissionsOf } from '../../kernel/callers/authorize.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import { line, type Named, name, type OutsOf, oneOf, text, time } from '../../kernel/shape.ts'
import { fromOne } from '../../kernel/usual.ts'
import { orNull } from '../../kernel/wrap.ts'
import { type Member, shownTenant, type Tenant } from './records.ts'

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
export const tenantShape: Named<typeof shownTenant, TenantView> = object(shownTenant, 'Tenant')
/** A tenant as staff sees it. */
export interface TenantStatusView extends OutsOf<typeof tenantStatus> {}

export const tenantStatusShape: Named<typeof tenantStatus, TenantStatusView> = object(
  tenantStatus,
  'TenantStatus',
)

export function tenantView(row: Tenant): TenantView {
  return showAll(shownTenant, row)
}

export function tenantStatusView(row: Tenant): TenantStatusView {
  const { at = null, by = null, reason = null } = row.statusChange ?? {}
  const change = { statusReason: reason, statusChangedBy: by, statusChangedAt: at }
  return showAll(tenantStatus, { ...row, ...change })
}

const shownMember = {
  memberId: line(longest.id),
  name: name(longest.name),
  email: line(longest.email),
  role: oneOf(roles),
  /** What the member holds: those of the role and those granted beside it. */
  permissions: listOf(oneOf(permissions)),
}
/** A member as they are returned. */
export interface MemberView extends OutsOf<typeof shownMember> {}
export const memberShape: Named<typeof shownMember, MemberView> = object(shownMember, 'Member')

const joined = { member: memberShape, tenantId: line(longest.id) }
/** The answer to who became a member, or chose another password, without a session. */
export const joinedShape = object(joined, 'Accepted')

const session = {
  ...joined,
  /** Null where the host has other sessions than ours. */
  expiresAt: orNull(time),
}
/** Who is logged in. */
export interface MemberSessionView extends OutsOf<typeof session> {}
export const sessionShape: Named<typeof session, MemberSessionView> = object(
  session,
  'MemberSession',
)

/** A session with its token. */
export const issuedSession = { ...joined, expiresAt: time, token: text(longest.secret) }
const login = {
  ...issuedSession,
  /** For the device to keep and to send with its next logins. */
  device: object({ token: text(longest.secret), seconds: fromOne }),
}
/** The answer that issues a session. */
export interface LoginView extends OutsOf<typeof login> {}
export const loginShape: Named<typeof login, LoginView> = object(login, 'NewSession')

export function memberView(member: Member): MemberView {
  const { memberId, name, email, role, granted } = member
  // Pending members, who have no name yet, have no session either.
  return {
    memberId,
    name: name ?? memberId,
    email,
    role,
    permissions: permissionsOf(role, granted),
  }
}

/** The actor of a member. */
export function memberActor(
  member: Member,
  claims: Pick<SessionClaims, 'tokenId' | 'expiresAt' | 'authenticatorId' | 'providerAt'>,
): MemberActor {
  const { tenantId, memberId, role, granted } = member
  const held = permissionsOf(role, granted)
  const { tokenId: sessionId, expiresAt, authenticatorId: passkeyId, providerAt } = claims
  return {
    kind: 'member',
    ...{ tenantId, memberId, role, permissions: held },
    ...{ sessionId, sessionEndsAt: expiresAt * 1000 },
    ...(passkeyId !== undefined && { passkeyId }),
    ...(providerAt !== undefined && { providerAt: providerAt * 1000 }),
  }
}
