import { type Activity, durationP95 } from '../../content/activity/activity.ts'
import { oneDecimal } from '../scores/default-scorer.ts'
import type { MetricValue } from './machine.ts'

/** What a rule may watch, and over what it is measured: the rule's window, or its value now. */
export const metrics = {
  'sessions.count': 'window',
  'sessions.failed_percent': 'window',
  'sessions.duration_p95_ms': 'window',
  'steps.error_percent': 'window',
  'tokens.total': 'window',
  'policy.violations': 'window',
  'reviews.open': 'now',
  'reviews.overdue': 'now',
  'quality.mean': 'window',
  'governance.score': 'now',
  'quota.used_percent': 'now',
  'deliveries.dead_lettered': 'window',
} as const

/** Name of a metric. */
export type MetricName = keyof typeof metrics
/** Every metric, in the order of the interface. */
export const metricNames = Object.keys(metrics) as [MetricName, ...MetricName[]]

/** What is not measured over a window; null where there is none. */
export interface CurrentValues {
  readonly openCases: number
  readonly overdueCases: number
  /** 0 to 100; of several applications the lowest. */
  readonly governance: number | null
  /** Percent of the plan's sessions of this month; null for a plan without a limit. */
  readonly quotaUsed: number | null
}

/** The value of a metric. Counts are 0 where nothing happened, shares and means have no data then. */
export function valueOfMetric(
  metric: MetricName,
  activity: Activity,
  current: CurrentValues,
): MetricValue {
  switch (metric) {
    case 'sessions.count':
      return activity.sessions
    case 'sessions.failed_percent':
      return percent(activity.failed, activity.sessions)
    case 'sessions.duration_p95_ms':
      return durationP95(activity)
    case 'steps.error_percent':
      return percent(activity.errors, activity.steps)
    case 'tokens.total':
      return activity.tokens
    case 'policy.violations':
      return activity.violations
    case 'reviews.open':
      return current.openCases
    case 'reviews.overdue':
      return current.overdueCases
    case 'quality.mean':
      return activity.scored === 0 ? null : oneDecimal(activity.quality / activity.scored / 10)
    case 'governance.score':
      return current.governance
    case 'quota.used_percent':
      return current.quotaUsed ?? 'unmeasured'
    case 'deliveries.dead_lettered':
      return activity.deadLettered
  }
}

/** Percent with one decimal; null of nothing. */
export function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : oneDecimal((100 * part) / whole)
}
