import {
  type AlertRule,
  activityMinutes,
  alertRules,
  applications,
  reviewCases,
  sessions,
} from '@countersign/core/internal'
import type { Deletions } from '../play/stage.ts'
import { type Committed, keyText, of, type Transition, type Truth } from '../truth.ts'
import { epoch, type World } from '../world.ts'

/** A rule's alert follows its metric, and activity is counted once (interface, Alert rules). */
export interface AlertChecks {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
  /** Rules that were ever made. */
  readonly rules: ReadonlySet<string>
  /** Notes what each rule should say now; nothing but time may happen from the first sample to the judgement. */
  sample(truth: Truth): void
  /** Compares the rules that said the same in every sample with what they tell. */
  judge(truth: Truth): void
}

/** Of the transitions of rules, those that a judgement made: what its owner says of it stayed. */
export function judged({ before, after }: Transition<AlertRule>): boolean {
  return before !== null && after !== null && before.row.updatedAt === after.row.updatedAt
}

function crosses({ comparator }: AlertRule, value: number, bound: number): boolean {
  if (comparator === 'gt') return value > bound
  if (comparator === 'gte') return value >= bound
  return comparator === 'lt' ? value < bound : value <= bound
}

export function checkAlerts(world: World, deletions: Deletions): AlertChecks {
  const rules = new Set<string>()
  /** Completed sessions by application. */
  const completed = new Map<string, number>()
  const verdicts = new Map<string, Set<boolean>>()
  const stepped = world.plan.disturbances.some(({ kind }) => kind === 'jump')

  function checkRule(change: Transition<AlertRule>): void {
    const { key, before, after } = change
    const wrong = (detail: string) => world.broken('alerts follow their rule', `${key}: ${detail}`)
    if (after) rules.add(after.row.alertRuleId)
    if (!after || after.row.state === (before?.row.state ?? 'ok')) return
    const { row } = after
    if (row.state === 'ok' && !judged(change)) return
    if (!before || !judged(change)) {
      wrong('is triggered by its owner')
      return
    }
    const value = row.currentValue
    if (value === null) wrong(`is ${row.state} without a value`)
    else if (row.state === 'triggered' && !crosses(row, value, row.threshold))
      wrong(`is triggered by ${value}, ${row.comparator} ${row.threshold}`)
    else if (row.state === 'ok') {
      if (crosses(row, value, row.recoveryThreshold ?? row.threshold)) wrong(`ends at ${value}`)
      if (before.row.recovered !== 1) wrong('ends after one judgement on the good side')
    }
  }

  /** The value of a metric by what is committed; null for one that is not looked at. */
  function valueNow(truth: Truth, { metricName, applicationId, windowSeconds }: AlertRule) {
    const isMine = (row: { readonly tenantId: string; readonly applicationId: string }) =>
      applicationId === null
        ? truth.rows(applications).get(keyText([row.tenantId, row.applicationId]))?.row
            .lifecycleState === 'active'
        : row.applicationId === applicationId
    if (metricName === 'reviews.open')
      return [...truth.rows(reviewCases).values()].filter(
        ({ row }) =>
          row.state === 'open' && (applicationId === null || row.applicationId === applicationId),
      ).length
    if (metricName !== 'sessions.count') return null
    const since = epoch + world.time.now() - windowSeconds * 1_000
    return [...truth.rows(sessions).values()].filter(
      ({ row }) => isMine(row) && row.completedAt !== null && row.completedAt >= since,
    ).length
  }

  /** Of an application that is being deleted nothing is counted, also not when it is kept after all. */
  function isClear({ applicationId }: AlertRule): boolean {
    return applicationId === null ? deletions.asked.size === 0 : !deletions.asked.has(applicationId)
  }

  /** Every completed session is in one slot, once. */
  function checkActivity(truth: Truth): void {
    for (const [applicationId, count] of completed) {
      if (deletions.asked.has(applicationId)) continue
      let sum = 0
      for (const { row } of truth.rows(activityMinutes).values())
        if (row.applicationId === applicationId)
          for (const slot of Object.values(row.slots)) sum += slot.sessions
      // A commit that takes longer than the slack of a slot comes too late to be counted.
      const missing = world.plan.rates.stall === 0 && sum < count
      if (sum > count || missing)
        world.broken(
          'activity is counted once',
          `${applicationId}: ${sum} sessions are counted, ${count} completed`,
        )
    }
  }

  return {
    rules,
    committing(_, { transitions }) {
      for (const change of of(alertRules, transitions)) checkRule(change)
      for (const { before, after } of of(sessions, transitions))
        if (after && after.row.completedAt !== null && (before?.row.completedAt ?? null) === null) {
          const { applicationId } = after.row
          completed.set(applicationId, (completed.get(applicationId) ?? 0) + 1)
        }
    },
    sample(truth) {
      for (const [key, { row }] of truth.rows(alertRules)) {
        const value = row.enabled && isClear(row) ? valueNow(truth, row) : null
        if (value === null) continue
        const seen = verdicts.get(key) ?? new Set()
        verdicts.set(key, seen.add(crosses(row, value, row.threshold)))
      }
    },
    judge(truth) {
      if (stepped) return
      checkActivity(truth)
      for (const [key, seen] of verdicts) {
        const state = truth.rows(alertRules).get(key)?.row.state
        const [verdict, other] = seen
        if (state === undefined || other !== undefined) continue
        const expected = verdict ? 'triggered' : 'ok'
        if (state !== expected)
          world.broken('alerts follow their rule', `${key} is ${state}, expected ${expected}`)
      }
    },
  }
}
