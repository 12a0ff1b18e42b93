import { tenantOf } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { checkFeature as included, type PlanFeature, planOf, plans } from '../access/plans.ts'
import { type Tenant, tenants } from '../access/records.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { get, one } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import type { Found, Read } from '../ports/store.ts'
import { quotaCounter } from '../sessions/records.ts'
import type { OrganizationDeps } from './deps.ts'
import { noOrganization } from './load.ts'
import type { OrganizationUseCases } from './use-cases.ts'
import type { EntitlementsView } from './view.ts'

/** Some laws ask for logs of six months; 184 days are never fewer. */
const sixMonthsInDays = 184

/** Every feature: the largest plan has them all. */
const everyFeature = plans.Enterprise.features

/** The reads whose answers `entitlementsView` takes: the tenant and what it used of its quota. */
export function entitlementReads(tenantId: string, now: number): readonly [Read, Read] {
  return [get(tenants, [tenantId]), { counter: quotaCounter(tenantId, now) }]
}

export function readEntitlements({
  ledger,
  clock,
}: OrganizationDeps): OrganizationUseCases['entitlements'] {
  return async (actor) => {
    const member = authorizeMember(actor, 'readOrganization')
    if (!member.ok) return member
    const { tenantId } = member.value
    const now = clock.now()
    const [found, used] = await ledger.read(tenantId, entitlementReads(tenantId, now))
    const tenant = one(tenants, found)?.row
    return tenant ? ok(entitlementsView(tenant, used, now)) : noOrganization()
  }
}

export function checkFeature({ ledger }: OrganizationDeps): OrganizationUseCases['checkFeature'] {
  return async (actor, feature) => {
    const tenantId = tenantOf(actor)
    if (tenantId === null) return ok(null)
    const [found] = await ledger.read(tenantId, [get(tenants, [tenantId])])
    return included(one(tenants, found)?.row, feature)
  }
}

export function entitlementsView(
  tenant: Tenant,
  used: Found | undefined,
  now: number,
): EntitlementsView {
  const { name, retentionDays, sessionsPerMonth, features } = planOf(tenant)
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const held = (feature: PlanFeature) => [feature, features.includes(feature)] as const
  return {
    plan: name,
    retentionDays,
    sessionsPerMonth,
    sessionsUsed: used?.total ?? 0,
    periodStart: isoTime(Date.UTC(year, month, 1)),
    periodEnd: isoTime(Date.UTC(year, month + 1, 1)),
    features: Object.fromEntries(everyFeature.map(held)) as Record<PlanFeature, boolean>,
    notes: notesOf(tenant, retentionDays),
  }
}

function notesOf({ nextRetention }: Tenant, retentionDays: number): readonly string[] {
  const coming = nextRetention?.days
  return [
    ...(Math.min(retentionDays, coming ?? retentionDays) < sixMonthsInDays
      ? [
          'Sessions are kept for less than six months, which some laws require of logs: export what you must keep.',
        ]
      : []),
    ...(nextRetention
      ? [`From ${isoTime(nextRetention.from)} on sessions are kept for ${nextRetention.days} days.`]
      : []),
  ]
}
