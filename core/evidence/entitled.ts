import { checkFeature, type PlanFeature } from '../kernel/callers/plans.ts'
import type { Reader } from '../kernel/ledger/pages.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { type Tenant, tenants } from '../organizations/access/records.ts'

/** The tenant, where its plan includes the feature. Refuses with `plan_required`. */
export async function entitled(
  reader: Reader,
  tenantId: string,
  feature: PlanFeature,
): Promise<Result<Tenant>> {
  const [found] = await reader.read([get(tenants, [tenantId])])
  const tenant = one(tenants, found)?.row
  if (!tenant) return refuse('not_found', 'no such organization')
  const included = checkFeature(tenant, feature)
  return included.ok ? ok(tenant) : included
}
