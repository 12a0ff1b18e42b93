import { type ApplicationHealth, applicationHealths } from '../../applications/health.ts'
import { hiddenOf, hiddenReads } from '../../applications/hidden.ts'
import { type Application, applications } from '../../applications/records.ts'
import type { Read, Versioned, Where } from '../../base/ports/store.ts'
import { planOf, type TenantPlan } from '../../kernel/callers/plans.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { most } from '../../kernel/ledger/limits.ts'
import { everyRow, get, inTurn, list, many, one } from '../../kernel/ledger/reads.ts'
import { type Tenant, tenants } from '../../organizations/access/records.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { reviewCases } from '../../review/records.ts'
import { type Routing, routings } from '../../webhooks/records.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { type AlertRule, alertRules } from '../alerts/records.ts'
import { type ApplicationScore, applicationScores } from '../scores/records.ts'

/** What a judgement reads of an organization before it looks at activity. */
export interface Organization {
  readonly tenantId: string
  readonly routing: Versioned<Routing> | null
  readonly tenant: Tenant | null
  readonly plan: TenantPlan
  /** Sessions counted in this month. */
  readonly used: number
  /** Active ones: nothing else is judged. */
  readonly applications: readonly Versioned<Application>[]
  readonly rules: readonly Versioned<AlertRule>[]
  readonly scores: ReadonlyMap<string, ApplicationScore>
  /** By application; the organization's own under the empty id. */
  readonly healths: ReadonlyMap<string, Versioned<ApplicationHealth>>
}

export async function readOrganization(unit: UnitOfWork, tenantId: string): Promise<Organization> {
  const ofTenant: Where = [['tenantId', '=', tenantId]]
  const [routed, foundTenant, used, foundApplications, foundRules, foundScores, foundHealths] =
    await unit.read([
      routingOf(tenantId),
      get(tenants, [tenantId]),
      { counter: quotaCounter(tenantId, unit.now) },
      list(applications, {
        by: 'byState',
        where: [...ofTenant, ['lifecycleState', '=', 'active']],
        take: everyRow,
      }),
      list(alertRules, { where: ofTenant, take: most.alertRules }),
      list(applicationScores, { where: ofTenant, take: everyRow }),
      list(applicationHealths, { where: ofTenant, take: everyRow }),
    ])
  const tenant = one(tenants, foundTenant)?.row ?? null
  return {
    tenantId,
    routing: one(routings, routed),
    tenant,
    plan: planOf(tenant),
    used: used?.total ?? 0,
    applications: many(applications, foundApplications),
    rules: many(alertRules, foundRules),
    scores: new Map(
      many(applicationScores, foundScores).map(({ row }) => [row.applicationId, row]),
    ),
    healths: new Map(
      many(applicationHealths, foundHealths).map((each) => [each.row.applicationId, each]),
    ),
  }
}

/**
 * Open cases of an application, or for null of the organization without applications that are being deleted; and those of
 * them that are overdue.
 */
export interface CaseCounts {
  readonly open: number
  readonly overdue: number
}

/** The counts of cases that these rules ask for, by application. */
export async function countCases(
  unit: UnitOfWork,
  tenantId: string,
  rules: readonly AlertRule[],
): Promise<ReadonlyMap<string | null, CaseCounts>> {
  const asking = rules.filter(({ metricName }) => metricName.startsWith('reviews.'))
  const scopes = [...new Set(asking.map(({ applicationId }) => applicationId))]
  if (scopes.length === 0) return new Map()
  const hidden = scopes.includes(null) ? hiddenOf(await unit.read(hiddenReads(tenantId))) : []
  const places = [...new Set([...scopes, ...hidden])]
  const found = await unit.read(places.flatMap((place) => countsOf(tenantId, place)))
  const ofNext = inTurn(found)
  const counts = new Map<string | null, CaseCounts>(
    places.map((place) => {
      const [open, overdue] = ofNext(2)
      return [place, { open: open?.total ?? 0, overdue: overdue?.total ?? 0 }]
    }),
  )
  const whole = counts.get(null)
  const shown = hidden.reduce((left, place) => without(left, counts.get(place)), whole ?? none)
  return whole ? counts.set(null, shown) : counts
}

const none: CaseCounts = { open: 0, overdue: 0 }

function without(all: CaseCounts, { open, overdue }: CaseCounts = none): CaseCounts {
  return { open: all.open - open, overdue: all.overdue - overdue }
}

function countsOf(tenantId: string, applicationId: string | null): readonly [Read, Read] {
  const open: Where = [
    ['tenantId', '=', tenantId],
    ['state', '=', 'open'],
    ...(applicationId === null ? [] : ([['applicationId', '=', applicationId]] as const)),
  ]
  const by = applicationId === null ? 'byState' : 'ofApplicationByState'
  const count = (where: Where) => list(reviewCases, { by, where, take: 0, count: true })
  return [count(open), count([...open, ['overdueAt', '>', 0]])]
}
