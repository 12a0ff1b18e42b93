import type { Clock } from '../base/ports/clock.ts'
import { type PlanFeature, planNames, planOf, plans } from '../kernel/callers/plans.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import { type Query, queryOf } from '../kernel/query.ts'
import {
  flag,
  type InsOf,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  text,
  time,
  whole,
} from '../kernel/shape.ts'
import { orNull } from '../kernel/wrap.ts'
import { organizationOf } from './access/organization.ts'
import type { Tenant } from './access/records.ts'
import { quotaCounter } from './quota.ts'

const count = whole(0, Number.MAX_SAFE_INTEGER)
/** Every feature: the largest plan has them all. */
const everyFeature = plans.Enterprise.features
const features = forEach((): Shape<boolean> => flag)

const shownEntitlements = {
  plan: oneOf(planNames),
  /** How long a session is kept after it completed. */
  retentionDays: count,
  /** Null: without a limit. */
  sessionsPerMonth: orNull(count),
  sessionsUsed: count,
  /** The UTC month that `sessionsUsed` counts. */
  periodStart: time,
  periodEnd: time,
  features: object(features),
  /** Sentences for people about what is close to a duty of theirs, or about to change. */
  notes: listOf(text(longest.detail)),
}

/** What the organization's plan includes, and how much of it is used. */
export interface EntitlementsView extends OutsOf<typeof shownEntitlements> {}

export const entitlementsShape: Shape<
  RowsOf<typeof shownEntitlements>,
  InsOf<typeof shownEntitlements>,
  EntitlementsView
> = object(shownEntitlements, 'Entitlements')

/** What the plan includes, and what of it is used this month. */
export const readEntitlements = operationsWith<{ readonly clock: Clock }>().reading({
  name: 'entitlements.read',
  doc: 'Read what the plan includes, and what of it is used',
  right: 'readOrganization',
  takes: {},
  gives: entitlementsShape,
  refuses: ['not_found'],
  async run({ ask, by: { tenantId }, tools: { clock } }) {
    const now = clock.now()
    const found = await ask({ tenant: organizationOf(tenantId), used: quotaUsed(tenantId, now) })
    return entitlementsView(found.tenant.row, found.used, now)
  },
})

/** Sessions of a tenant that were received in the UTC month of `now`. */
export function quotaUsed(tenantId: string, now: number): Query<number> {
  return queryOf([{ counter: quotaCounter(tenantId, now) }], ([found]) => found?.total ?? 0)
}

export function entitlementsView(tenant: Tenant, used: number, now: number): EntitlementsView {
  const { name, retentionDays, sessionsPerMonth, features: held } = planOf(tenant)
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return showAll(shownEntitlements, {
    plan: name,
    retentionDays,
    sessionsPerMonth,
    sessionsUsed: used,
    periodStart: Date.UTC(year, month, 1),
    periodEnd: Date.UTC(year, month + 1, 1),
    features: forEach((feature) => held.includes(feature)),
    notes: notesOf(tenant, retentionDays),
  })
}

function forEach<T>(of: (feature: PlanFeature) => T): Readonly<Record<PlanFeature, T>> {
  const entries = everyFeature.map((feature) => [feature, of(feature)] as const)
  return Object.fromEntries(entries) as Record<PlanFeature, T>
}

/** Some laws ask for logs of six months; 184 days are never fewer. */
const sixMonthsInDays = 184

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
