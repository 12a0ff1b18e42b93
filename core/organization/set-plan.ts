import { actorName } from '../access/actor.ts'
import { executeAsStaff } from '../access/execute-as.ts'
import { type PlanName, planNames, planOf, plans } from '../access/plans.ts'
import { type Tenant, tenants } from '../access/records.ts'
import { changeableTenant } from '../access/standing.ts'
import { audit } from '../ledger/audit.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { customRetention } from '../ledger/limits.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { FieldError } from '../ledger/refusal.ts'
import type { WorkHandler } from '../work/handler.ts'
import { schedule, workItems } from '../work/records.ts'
import type { OrganizationDeps } from './deps.ts'
import { entitlementReads, entitlementsView } from './entitlements.ts'
import { noOrganization } from './load.ts'
import type { OrganizationUseCases } from './use-cases.ts'

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

function checkPlan(plan: PlanName, days: number | null | undefined): readonly FieldError[] {
  if (!planNames.includes(plan)) return [wrong('/plan', `expected one of ${planNames.join(', ')}`)]
  if (days === null || days === undefined) return []
  if (plan !== 'Enterprise')
    return [wrong('/retentionDays', `expected no value: ${plan} has a retention of its own`)]
  const { least, most } = customRetention
  if (Number.isSafeInteger(days) && days >= least && days <= most) return []
  return [wrong('/retentionDays', `expected an integer from ${least} to ${most}, got ${days}`)]
}

export function setPlan({ ledger }: OrganizationDeps): OrganizationUseCases['setPlan'] {
  return async (actor, tenantId, { plan, retentionDays }) => {
    const malformed = refuseErrors(checkPlan(plan, retentionDays))
    const command = { actor, right: 'setPlans', tenantId } as const
    return executeAsStaff(ledger, command, async ({ now, read }, staff) => {
      if (malformed) return refusal(malformed)
      const [found, used, foundWork] = await read([
        ...entitlementReads(tenantId, now),
        get(workItems, [retentionKind, tenantId]),
      ])
      const was = changeableTenant(found)
      if (!was) return refusal(noOrganization())
      const before = planOf(was.row)
      const isSame = before.name === plan
      const given = retentionDays ?? null
      const days = given ?? (isSame ? keptRetention(was.row) : plans[plan].retentionDays)
      const tenant =
        isSame && given === null
          ? { ...was.row, plan, updatedAt: now }
          : underPlan(was.row, plan, days, now)
      const { nextRetention } = tenant
      const work = {
        kind: retentionKind,
        ref: tenantId,
        tenantId,
        applicationId: null,
      }
      return commit(
        {
          puts: [
            put(tenants, tenant, was),
            ...(nextRetention
              ? [schedule({ ...work, due: nextRetention.from }, one(workItems, foundWork))]
              : []),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(staff),
              action: 'plan.set',
              subject: tenantId,
              detail: { plan, previousPlan: before.name, retentionDays: days },
            }),
          ],
        },
        entitlementsView(tenant, used, now),
      )
    })
  }
}

/** Makes a shorter retention hold once its time has come; a later plan may have moved it, or made it void. */
export const planRetention: WorkHandler = {
  kind: retentionKind,
  async run({ tenantId, ref }, unit) {
    const [found] = await unit.read([get(tenants, [ref])])
    const was = one(tenants, found)
    if (!was?.row.nextRetention) return { next: null }
    const { days, from } = was.row.nextRetention
    if (unit.now < from) return { next: from }
    const tenant = withRetention({ ...was.row, updatedAt: unit.now }, days)
    const entry = audit(tenantId ?? ref, {
      at: isoTime(unit.now),
      actor: 'system',
      action: 'plan.retention_shortened',
      subject: ref,
      detail: { retentionDays: days },
    })
    return { set: { puts: [put(tenants, tenant, was)], appends: [entry] }, next: null }
  },
}
