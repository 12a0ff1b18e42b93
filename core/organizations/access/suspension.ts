import { actorName, type StaffActor, type SystemActor } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { command } from '../../kernel/operation.ts'
import { line, name, type RowsOf } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { changeable } from './organization.ts'
import { type TenantStatusView, tenantStatusShape, tenantStatusView } from './present.ts'
import { type Tenant, tenants } from './records.ts'

const change = {
  tenantId: line(longest.id),
  /** Staff's own words, which the organization does not see. */
  reason: name(longest.staffReason),
}

const common = {
  by: 'staff',
  right: 'suspendTenants',
  takes: change,
  of: ({ tenantId }: RowsOf<typeof change>) => tenantId,
  gives: tenantStatusShape,
  refuses: ['not_found'],
} as const

/**
 * Suspends an organization: every call of its members and keys that begins after the commit is refused with
 * `account_suspended`, and what was committed before is still sent. A suspended one stays as it is.
 */
export const suspendTenant = command({
  ...common,
  name: 'tenants.suspend',
  doc: 'Suspend an organization: every call of its members and keys is 503 from then on',
  run: (unit, input) => changeStatus(unit, input, 'suspended'),
})

/** Ends a suspension; an active organization stays as it is. */
export const resumeTenant = command({
  ...common,
  name: 'tenants.resume',
  doc: "End an organization's suspension",
  run: (unit, input) => changeStatus(unit, input, 'active'),
})

const actions: Readonly<Record<Tenant['status'], string>> = {
  suspended: 'tenant.suspended',
  active: 'tenant.resumed',
}

/** Each request reads the current status, so no session is ended. */
async function changeStatus(
  unit: Unit<StaffActor | SystemActor, 'not_found'>,
  { tenantId, reason }: RowsOf<typeof change>,
  to: Tenant['status'],
): Promise<TenantStatusView> {
  const { was } = await unit.ask({ was: changeable(tenantId) })
  if (was.row.status === to) return tenantStatusView(was.row)
  const { now } = unit
  const statusChange = { at: now, by: actorName(unit.by), reason }
  const tenant: Tenant = { ...was.row, status: to, statusChange, updatedAt: now }
  unit.put(tenants, tenant, was)
  unit.audit(actions[to], tenantId, {}, tenantId)
  return tenantStatusView(tenant)
}
