import type { Found, Read } from '../base/ports/store.ts'
import { planOf } from '../kernel/callers/plans.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { type Result, refuse } from '../kernel/ledger/refusal.ts'
import { tenants } from '../organizations/access/records.ts'
import { quotaCounter } from '../organizations/quota.ts'
import type { IngestDeps } from './deps.ts'

/** What a tenant's plan allows in this month, and what of it is used. */
export interface Quota {
  readonly used: number
  /** Null: without a limit. */
  readonly limit: number | null
  /** Ms: the end of the UTC month. */
  readonly periodEnd: number
}

/** The quota at a time. */
export async function readQuota(
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  tenantId: string,
  now: number,
): Promise<Quota> {
  const [used, tenant] = await read([
    { counter: quotaCounter(tenantId, now) },
    get(tenants, [tenantId]),
  ])
  const { sessionsPerMonth } = planOf(one(tenants, tenant)?.row)
  return { used: used?.total ?? 0, limit: sessionsPerMonth, periodEnd: monthEnd(now) }
}

/** The refusal of an export or a batch of which nothing fits into the quota. */
export async function quotaExceeded(
  { ledger, clock }: Pick<IngestDeps, 'ledger' | 'clock'>,
  tenantId: string,
): Promise<Result<never>> {
  const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
  const { used, limit, periodEnd } = await readQuota(read, tenantId, clock.now())
  return refuse(
    'quota_exceeded',
    `the plan's ${limit} sessions of this month are used; known sessions still take spans`,
    { facts: { quota: { limit, used, periodEnd: isoTime(periodEnd) } } },
  )
}

function monthEnd(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
