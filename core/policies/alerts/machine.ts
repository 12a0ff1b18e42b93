/** How a value is compared with a threshold. */
export const comparators = ['gt', 'gte', 'lt', 'lte'] as const
/** How a value is compared with a threshold. */
export type Comparator = (typeof comparators)[number]

/** What a rule compares. */
export interface AlertBounds {
  readonly comparator: Comparator
  readonly threshold: number
  /** The good side begins here; null: at `threshold`. */
  readonly recoveryThreshold: number | null
}

/** What is known of a rule since it was judged last; times are ms. */
export interface AlertState {
  readonly state: 'ok' | 'triggered'
  /** Of the last judgement that had data. */
  readonly currentValue: number | null
  readonly stateSince: number
  /** Judgements in a row on the good side while triggered. */
  readonly recovered: number
}

/** What a metric tells: null without data for now, `unmeasured` where the organization does not have it. */
export type MetricValue = number | null | 'unmeasured'

/** A rule after a judgement, and what happened to it. */
export interface JudgedAlert {
  readonly after: AlertState
  readonly change: 'triggered' | 'resolved' | null
}

/** Judgements in a row on the good side that resolve an alert. */
const judgementsToResolve = 2

/** The state of a rule that was not judged yet. */
export function newAlertState(now: number): AlertState {
  return { state: 'ok', currentValue: null, stateSince: now, recovered: 0 }
}

/**
 * Judges a rule by a value of its metric: the first one beyond the threshold triggers, two in a row on the good side
 * resolve. No data (null) changes nothing; a metric that is not measured resolves immediately, without a value.
 */
export function judgeAlert(
  bounds: AlertBounds,
  before: AlertState,
  value: MetricValue,
  now: number,
): JudgedAlert {
  if (value === null) return { after: before, change: null }
  if (value === 'unmeasured')
    return before.state === 'ok'
      ? { after: { ...before, currentValue: null }, change: null }
      : { after: newAlertState(now), change: 'resolved' }
  const { comparator, threshold, recoveryThreshold } = bounds
  const measured = { ...before, currentValue: value }
  if (before.state === 'ok') {
    if (!crosses(comparator, value, threshold)) return { after: measured, change: null }
    return {
      after: { state: 'triggered', currentValue: value, stateSince: now, recovered: 0 },
      change: 'triggered',
    }
  }
  const good = !crosses(comparator, value, recoveryThreshold ?? threshold)
  const recovered = good ? before.recovered + 1 : 0
  if (recovered < judgementsToResolve) return { after: { ...measured, recovered }, change: null }
  return {
    after: { state: 'ok', currentValue: value, stateSince: now, recovered: 0 },
    change: 'resolved',
  }
}

function crosses(comparator: Comparator, value: number, threshold: number): boolean {
  switch (comparator) {
    case 'gt':
      return value > threshold
    case 'gte':
      return value >= threshold
    case 'lt':
      return value < threshold
    case 'lte':
      return value <= threshold
  }
}

/** Whether the good side of a recovery threshold lies within that of the threshold. */
export function isWithin({ comparator, threshold, recoveryThreshold }: AlertBounds): boolean {
  if (recoveryThreshold === null) return true
  return comparator === 'gt' || comparator === 'gte'
    ? recoveryThreshold <= threshold
    : recoveryThreshold >= threshold
}
