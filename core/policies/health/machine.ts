import type { HealthStatus } from '../../applications/view.ts'
import type { Severity } from '../rules/shapes.ts'

/** Sessions over this window decide, ms. */
export const healthWindowMs: number = 15 * 60_000
/** Without a session for so long an application is `unknown`, ms. */
export const silentMs: number = 24 * 60 * 60_000

/** Below so many sessions no share of failures makes an application unhealthy. */
const leastSessions = 5
const unhealthyPercent = 50
const degradedPercent = 10

/** Why a status is not `healthy`. */
export type HealthReason =
  | 'failed_sessions'
  | 'critical_alert'
  | 'warning_alert'
  | 'governance_below_threshold'
  | 'no_sessions'

/** What an application is judged by. */
export interface HealthFacts {
  /** Completed within `healthWindowMs`. */
  readonly sessions: number
  readonly failed: number
  /** Severities of its triggered alerts. */
  readonly alerts: readonly Severity[]
  readonly governanceBelowThreshold: boolean
  /** Ms since its last session completed; null: none did. */
  readonly silentFor: number | null
}

/** A status with its reasons, in the order of `HealthReason`. */
export interface HealthJudgement {
  readonly status: HealthStatus
  readonly reasons: readonly HealthReason[]
}

/** The health of an application at this moment. */
export function judgeHealth(facts: HealthFacts): HealthJudgement {
  const { sessions, failed, alerts, governanceBelowThreshold, silentFor } = facts
  const percent = sessions === 0 ? 0 : (100 * failed) / sessions
  const isCritical = alerts.includes('critical')
  const failing = percent >= degradedPercent
  const reasons: readonly HealthReason[] = [
    ...(failing ? (['failed_sessions'] as const) : []),
    ...(isCritical ? (['critical_alert'] as const) : []),
    ...(alerts.includes('warning') ? (['warning_alert'] as const) : []),
    ...(governanceBelowThreshold ? (['governance_below_threshold'] as const) : []),
  ]
  if (isCritical || (sessions >= leastSessions && percent >= unhealthyPercent))
    return { status: 'unhealthy', reasons }
  if (reasons.length > 0) return { status: 'degraded', reasons }
  if (silentFor === null || silentFor >= silentMs)
    return { status: 'unknown', reasons: ['no_sessions'] }
  return { status: 'healthy', reasons: [] }
}

/** From good to bad; applications without sessions say nothing of an organization that has others. */
const order: readonly HealthStatus[] = ['unknown', 'healthy', 'degraded', 'unhealthy']

/** The organization's health: the worst of its applications, for their reasons. */
export function worstOf(applications: readonly HealthJudgement[]): HealthJudgement {
  const at = Math.max(0, ...applications.map(({ status }) => order.indexOf(status)))
  const status = order[at] ?? 'unknown'
  const of = applications.filter((each) => each.status === status)
  const reasons = [...new Set(of.flatMap((each) => each.reasons))]
  return { status, reasons: of.length === 0 ? ['no_sessions'] : reasons }
}

/** A status, and another one that was judged once. */
export interface HealthState {
  readonly status: HealthStatus
  readonly candidate: HealthStatus | null
}

/** The state after a judgement: two that agree in a row change the status. */
export function agreed(before: HealthState, judged: HealthStatus): HealthState {
  if (judged === before.status) return { status: before.status, candidate: null }
  if (judged === before.candidate) return { status: judged, candidate: null }
  return { status: before.status, candidate: judged }
}
