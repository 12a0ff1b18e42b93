/** The plans (interface, Limits). */
export const plans = {
  Builder: { retentionDays: 7, sessionsPerMonth: 500 },
  Team: { retentionDays: 90, sessionsPerMonth: 25_000 },
  Enterprise: { retentionDays: 365, sessionsPerMonth: null },
} as const
/** Name of a plan. */
export type PlanName = keyof typeof plans

/** What a tenant's plan allows. */
export interface TenantPlan {
  readonly name: PlanName
  /** How long sessions are kept after they completed. */
  readonly retentionDays: number
  /** Sessions first received in a UTC month; null: without a limit. */
  readonly sessionsPerMonth: number | null
}

/** The plan of a tenant: Builder unless another was set. */
export function planOf(
  tenant: { readonly plan?: PlanName; readonly retentionDays?: number } | null | undefined,
): TenantPlan {
  const name = tenant?.plan ?? 'Builder'
  const { retentionDays, sessionsPerMonth } = plans[name]
  return { name, retentionDays: tenant?.retentionDays ?? retentionDays, sessionsPerMonth }
}
