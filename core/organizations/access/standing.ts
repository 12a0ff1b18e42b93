import type { Check, Found, Read, Versioned } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { authorizeMember, permissionsOf, type Right } from '../../kernel/callers/authorize.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { members, type Tenant, tenants } from './records.ts'

/** A member's current row as an actor, and the check that it stays unchanged until the commit. */
export interface MemberStanding {
  readonly actor: MemberActor
  readonly check: Check
}

/** The read whose answer `memberStanding` takes. */
export function memberOf({ tenantId, memberId }: MemberActor): Read {
  return get(members, [tenantId, memberId])
}

/**
 * Authorizes the member by their current row: nothing succeeds after the commit that suspends them or takes their
 * right.
 */
export function memberStanding(
  actor: MemberActor,
  right: Right | null,
  found: Found | undefined,
): Result<MemberStanding> {
  const member = one(members, found)
  if (member?.row.status !== 'Active')
    return refuse('authentication_required', 'the member is no longer active')
  const { role, granted } = member.row
  const now = { ...actor, role, permissions: permissionsOf(role, granted) }
  const allowed = right === null ? ok(now) : authorizeMember(now, right)
  if (!allowed.ok) return allowed
  const key = [actor.tenantId, actor.memberId] as const
  return ok({ actor: now, check: { in: members.name, key, version: member.version } })
}

/**
 * The organization of a read of its row; null where there is none that can be changed: it is unknown, deleted, or its
 * rows are being removed (interface, Deletion of an organization).
 */
export function changeableTenant(found: Found | undefined): Versioned<Tenant> | null {
  const tenant = one(tenants, found)
  const isGoing = tenant?.row.deletedAt !== undefined || tenant?.row.deletion?.begunAt !== undefined
  return isGoing ? null : tenant
}
