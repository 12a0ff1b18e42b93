import { checkFeature, type PlanFeature } from '../../kernel/callers/plans.ts'
import { fromResult, mapped, type Query, rowUnder } from '../../kernel/query.ts'
import { tenants } from './records.ts'

/** That the organization's plan includes a feature, at the commit too. */
export function entitled(tenantId: string, feature: PlanFeature): Query<null, 'plan_required'> {
  return mapped(rowUnder(tenants, [tenantId]), (tenant) =>
    fromResult(checkFeature(tenant?.row, feature)),
  )
}
