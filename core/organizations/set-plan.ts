import { type PlanName, planNames, planOf, plans } from '../kernel/callers/plans.ts'
import { wrong } from '../kernel/ledger/input-errors.ts'
import { customRetention, longest } from '../kernel/ledger/limits.ts'
import { command } from '../kernel/operation.ts'
import { line, oneOf, whole } from '../kernel/shape.ts'
import { handler } from '../kernel/work/handler.ts'
import { workAt } from '../kernel/work/records.ts'
import { orNull } from '../kernel/wrap.ts'
import { changeable } from './access/organization.ts'
import { type Tenant, tenants } from './access/records.ts'
import { entitlementsShape, entitlementsView, quotaUsed } from './entitlements.ts'

/** Days before a shorter retention holds. */
const graceDays = 7
const day = 24 * 60 * 60 * 1_000

/** The work item of a tenant whose retention becomes shorter. */
const retentionKind = 'planRetention'

/** The tenant under another plan; a retention that is longer now holds until `nextRetention.from`. */
function underPlan(tenant: Tenant, plan: PlanName, days: number, now: number): Tenant {
  const before = planOf(tenant).retentionDays
  const changed = withRetention({ ...tenant, plan, updatedAt: now }, Math.max(days, before))
  if (days >= before) return changed
  return { ...changed, nextRetention: { days, from: now + graceDays * day } }
}

/** The tenant with a retention from now on, noted where it is not the plan's own. */
function withRetention(tenant: Tenant, days: number): Tenant {
  const { retentionDays: _, nextRetention: __, ...rest } = tenant
  const own = plans[rest.plan ?? 'Builder'].retentionDays
  return days === own ? rest : { ...rest, retentionDays: days }
}

/** The retention that holds, or will: what a plan that is set again without days keeps. */
function keptRetention(tenant: Tenant): number {
  return tenant.nextRetention?.days ?? planOf(tenant).retentionDays
}

/**
 * Sets an organization's plan. Days unless given stay where the plan stays the same, else they are the plan's own.
 * Features and quota change immediately, a longer retention too; a shorter one after 7 days.
 */
export const setPlan = command({
  name: 'tenants.setPlan',
  doc: 'Set the plan of an organization, and the retention of an Enterprise one',
  by: 'staff',
  right: 'setPlans',
  takes: {
    tenantId: line(longest.id),
    plan: oneOf(planNames),
    /** Of Enterprise alone. */
    retentionDays: orNull(whole(customRetention.least, customRetention.most)),
  },
  also: ({ plan, retentionDays }) =>
    plan === 'Enterprise' || retentionDays === null
      ? []
      : [wrong('/retentionDays', `expected no value: ${plan} has a retention of its own`)],
  of: ({ tenantId }) => tenantId,
  gives: entitlementsShape,
  refuses: ['not_found'],
  async run(unit, { tenantId, plan, retentionDays: given }) {
    const { now } = unit
    const { was, used } = await unit.ask({
      was: changeable(tenantId),
      used: quotaUsed(tenantId, now),
    })
    const before = planOf(was.row)
    const isSame = before.name === plan
    const days = given ?? (isSame ? keptRetention(was.row) : plans[plan].retentionDays)
    const tenant =
      isSame && given === null
        ? { ...was.row, plan, updatedAt: now }
        : underPlan(was.row, plan, days, now)
    unit.put(tenants, tenant, was)
    if (tenant.nextRetention)
      unit.wake(
        workAt({ kind: retentionKind, ref: tenantId, tenantId, due: tenant.nextRetention.from }),
      )
    const detail = { plan, previousPlan: before.name, retentionDays: days }
    unit.audit('plan.set', tenantId, detail, tenantId)
    return entitlementsView(tenant, used, now)
  },
})

/** Makes a shorter retention hold once its time has come; a later plan may have moved it, or made it void. */
export const planRetention = handler({
  kind: retentionKind,
  async run(unit, { tenantId }) {
    const { was } = await unit.ask({ was: tenants.get(tenantId) })
    if (!was?.row.nextRetention) return null
    const { days, from } = was.row.nextRetention
    if (unit.now < from) return from
    unit.put(tenants, withRetention({ ...was.row, updatedAt: unit.now }, days), was)
    unit.audit('plan.retention_shortened', tenantId, { retentionDays: days })
    return null
  },
})
