import { ok, type Result, refuse } from '../ledger/refusal.ts'

/** What a plan includes, or does not. */
export type PlanFeature =
  | 'sessionEvidence'
  | 'subjectPack'
  | 'reviewCases'
  | 'webhooks'
  | 'alertRules'
  | 'bulkExport'
  | 'auditorPack'
  | 'blockchainCertificate'
  | 'notificationChannels'
  | 'customRetention'

/** Names of the plans, the smallest first. */
export const planNames = ['Builder', 'Team', 'Enterprise'] as const
/** Name of a plan. */
export type PlanName = (typeof planNames)[number]

const ofBuilder: readonly PlanFeature[] = [
  'sessionEvidence',
  'subjectPack',
  'reviewCases',
  'webhooks',
  'alertRules',
]
const ofTeam: readonly PlanFeature[] = [
  ...ofBuilder,
  'bulkExport',
  'auditorPack',
  'blockchainCertificate',
  'notificationChannels',
]
const ofEnterprise: readonly PlanFeature[] = [...ofTeam, 'customRetention']

/** The plans, the smallest first (interface, Limits). */
export const plans: Readonly<Record<PlanName, Omit<TenantPlan, 'name'>>> = {
  Builder: { retentionDays: 7, sessionsPerMonth: 500, features: ofBuilder },
  Team: { retentionDays: 90, sessionsPerMonth: 25_000, features: ofTeam },
  Enterprise: { retentionDays: 365, sessionsPerMonth: null, features: ofEnterprise },
}

/** What a tenant's plan allows. */
export interface TenantPlan {
  readonly name: PlanName
  /** How long sessions are kept after they completed. */
  readonly retentionDays: number
  /** Sessions first received in a UTC month; null: without a limit. */
  readonly sessionsPerMonth: number | null
  readonly features: readonly PlanFeature[]
}

/** What a tenant's row says of its plan. */
interface Planned {
  readonly plan?: PlanName | undefined
  /** Where it differs from the plan's. */
  readonly retentionDays?: number | undefined
}

/** The plan of a tenant: Builder unless another was set. */
export function planOf(tenant: Planned | null | undefined): TenantPlan {
  const name = tenant?.plan ?? 'Builder'
  const { retentionDays, ...rest } = plans[name]
  return { name, retentionDays: tenant?.retentionDays ?? retentionDays, ...rest }
}

/** Refuses with `plan_required` what the tenant's plan does not include. */
export function checkFeature(
  tenant: Planned | null | undefined,
  feature: PlanFeature,
): Result<null, 'plan_required'> {
  const { name, features } = planOf(tenant)
  if (features.includes(feature)) return ok(null)
  const from = Object.entries(plans).find(([, plan]) => plan.features.includes(feature))
  return refuse(
    'plan_required',
    `needs the plan ${from?.[0]} or above; the organization has ${name}`,
  )
}
