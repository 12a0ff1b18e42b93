import { type Tenant, tenants } from '../access/records.ts'
import { checkFeature, type PlanFeature } from '../callers/plans.ts'
import type { Reader } from '../ledger/pages.ts'
import { get, one } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'

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
