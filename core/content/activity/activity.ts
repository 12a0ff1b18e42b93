import type { StoredSession } from '../records.ts'

/** Sums over what an application did in some time; those of two times can be added. */
export interface Activity {
  /** Completed. */
  readonly sessions: number
  /** Of these: with status `failed`. */
  readonly failed: number
  /** Steps of completed sessions. */
  readonly steps: number
  readonly errors: number
  /** Input and output. */
  readonly tokens: number
  /** Tenths of a point, over `scored` sessions. */
  readonly quality: number
  readonly scored: number
  /** Denials by policy rules. */
  readonly violations: number
  /** Deliveries and outcome callbacks that were given up. */
  readonly deadLettered: number
  /** Completed sessions by `durationClass`. */
  readonly durations: Readonly<Record<string, number>>
}

export const noActivity: Activity = {
  sessions: 0,
  failed: 0,
  steps: 0,
  errors: 0,
  tokens: 0,
  quality: 0,
  scored: 0,
  violations: 0,
  deadLettered: 0,
  durations: {},
}

type Completed = Pick<StoredSession, 'status' | 'tally' | 'quality' | 'startedAt' | 'endedAt'>

/** The activity of one completed session; violations are counted when they are found. */
export function activityOf({ status, tally, quality, startedAt, endedAt }: Completed): Activity {
  return {
    ...noActivity,
    sessions: 1,
    failed: status === 'failed' ? 1 : 0,
    steps: tally.steps,
    errors: tally.errors,
    tokens: tally.inputTokens + tally.outputTokens,
    quality: quality ?? 0,
    scored: quality === null ? 0 : 1,
    durations: { [durationClass(Math.max(0, endedAt - startedAt))]: 1 },
  }
}

/** The sum of two. */
export function plus(a: Activity, b: Activity): Activity {
  const durations: Record<string, number> = { ...a.durations }
  for (const [name, count] of Object.entries(b.durations))
    durations[name] = (durations[name] ?? 0) + count
  return {
    sessions: a.sessions + b.sessions,
    failed: a.failed + b.failed,
    steps: a.steps + b.steps,
    errors: a.errors + b.errors,
    tokens: a.tokens + b.tokens,
    quality: a.quality + b.quality,
    scored: a.scored + b.scored,
    violations: a.violations + b.violations,
    deadLettered: a.deadLettered + b.deadLettered,
    durations,
  }
}

/** Up to here a class is one millisecond; above it, each is wider than the one before by a hundredth. */
const exactMs = 100
const growth = 1.01

/** The class of a duration in ms, for sums that stay small. */
function durationClass(ms: number): number {
  return ms <= exactMs ? ms : exactMs + Math.ceil(Math.log(ms / exactMs) / Math.log(growth))
}

/** The longest duration of a class, ms. */
function longestOf(durationClass: number): number {
  return durationClass <= exactMs
    ? durationClass
    : Math.round(exactMs * growth ** (durationClass - exactMs))
}

/** The 95th percentile of durations by nearest rank, in ms: exact to 100 ms, above it less than 1 % too long. Null for none. */
export function durationP95({ sessions, durations }: Activity): number | null {
  if (sessions === 0) return null
  const classes = Object.entries(durations)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([a], [b]) => a - b)
  let left = Math.ceil(0.95 * sessions)
  for (const [each, count] of classes) {
    left -= count
    if (left <= 0) return longestOf(each)
  }
  return null
}
