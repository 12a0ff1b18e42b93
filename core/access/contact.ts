import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one } from '../ledger/reads.ts'
import { members, rosters, type Tenant, tenants } from './records.ts'

/** The organization's contact address: its profile's, else that of its first admin; null for an unknown organization. */
export async function contactOf(
  unit: Pick<UnitOfWork, 'read'>,
  tenantId: string,
): Promise<string | null> {
  const [found] = await unit.read([get(tenants, [tenantId])])
  const tenant = one(tenants, found)?.row
  return tenant ? contactOfTenant(unit, tenant) : null
}

/** As `contactOf`, for a tenant that was read already. */
export async function contactOfTenant(
  unit: Pick<UnitOfWork, 'read'>,
  { tenantId, contactEmail }: Tenant,
): Promise<string | null> {
  if (contactEmail !== undefined) return contactEmail
  const [found] = await unit.read([get(rosters, [tenantId])])
  const [first] = one(rosters, found)?.row.admins ?? []
  if (first === undefined) return null
  const [foundMember] = await unit.read([get(members, [tenantId, first])])
  return one(members, foundMember)?.row.email ?? null
}
