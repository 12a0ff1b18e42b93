import type { AlertRuleAnswer } from '@countersign/client'
import { lengthOf } from '../parts/time.tsx'

type Metric = AlertRuleAnswer['metricName']
type Comparator = AlertRuleAnswer['comparator']
type Severity = AlertRuleAnswer['severity']

/** What a metric measures. */
interface MetricWords {
  readonly name: string
  /** Written after a value; empty for counts and scores. */
  readonly unit: '' | ' %' | ' ms'
  /** Whether it is measured over the rule's window; the others are values of now. */
  readonly overWindow: boolean
}

/** Metrics in the order in which they are offered. A metric without words does not compile. */
export const metricWords: Readonly<Record<Metric, MetricWords>> = {
  'reviews.overdue': { name: 'Overdue cases', unit: '', overWindow: false },
  'reviews.open': { name: 'Open cases', unit: '', overWindow: false },
  'deliveries.dead_lettered': { name: 'Deliveries given up', unit: '', overWindow: true },
  'sessions.count': { name: 'Sessions that ended', unit: '', overWindow: true },
  'sessions.failed_percent': { name: 'Share of failed sessions', unit: ' %', overWindow: true },
  'sessions.duration_p95_ms': {
    name: 'Duration of sessions (95th percentile)',
    unit: ' ms',
    overWindow: true,
  },
  'steps.error_percent': { name: 'Share of steps with an error', unit: ' %', overWindow: true },
  'tokens.total': { name: 'Tokens used', unit: '', overWindow: true },
  'policy.violations': { name: 'Violations of policy rules', unit: '', overWindow: true },
  'quality.mean': { name: 'Mean quality of sessions', unit: '', overWindow: true },
  'governance.score': { name: 'Governance score', unit: '', overWindow: false },
  'quota.used_percent': {
    name: 'Share of the plan’s sessions that is used',
    unit: ' %',
    overWindow: false,
  },
}

export const comparatorWords: Readonly<Record<Comparator, string>> = {
  gt: 'above',
  gte: 'at or above',
  lt: 'below',
  lte: 'at or below',
}

export const severityWords: Readonly<Record<Severity, string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
}

/** A length of time as it is chosen, such as `5 min`. */
export function windowWords(seconds: number): string {
  if (seconds % 60 !== 0) return `${seconds} s`
  return seconds < 3_600 ? `${seconds / 60} min` : lengthOf(seconds * 1_000)
}

/** A value of a metric with its unit, as this browser writes numbers. */
export function valueWords(metric: Metric, value: number): string {
  return `${value.toLocaleString()}${metricWords[metric]?.unit ?? ''}`
}

/** When a rule goes off, in words. */
export function conditionOf(rule: AlertRuleAnswer): string {
  const { metricName, comparator, threshold, windowSeconds } = rule
  const metric = metricWords[metricName]
  const over = metric?.overWindow ? ` over ${windowWords(windowSeconds)}` : ''
  return `${metric?.name ?? metricName} ${comparatorWords[comparator] ?? comparator} ${valueWords(metricName, threshold)}${over}`
}

/** What its owner set of a rule, as the API takes it; a rule is replaced whole. */
export function definitionOf(rule: AlertRuleAnswer) {
  const { name, applicationId, metricName, comparator, threshold, recoveryThreshold } = rule
  const { severity, windowSeconds, enabled } = rule
  const condition = { metricName, comparator, threshold, recoveryThreshold, windowSeconds }
  return { name, applicationId, ...condition, severity, enabled }
}
