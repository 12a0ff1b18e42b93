import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Put } from '../../base/ports/store.ts'
import { type Activity, noActivity, plus } from '../../content/activity/activity.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { Letter } from '../../kernel/mail/post.ts'
import { alertLetter } from '../alerts/alert-letter.ts'
import { judgeAlert, type MetricValue } from '../alerts/machine.ts'
import { judgeMailing } from '../alerts/mailing.ts'
import { type CurrentValues, percent, valueOfMetric } from '../alerts/metrics.ts'
import { type AlertRule, alertRules } from '../alerts/records.ts'
import { type EventHead, legacyEvent } from '../events.ts'
import type { CaseCounts, Organization } from './facts.ts'

/** What rules are judged by. */
export interface Measured {
  readonly organization: Organization
  readonly cases: ReadonlyMap<string | null, CaseCounts>
  /** What a place did in the last so many ms; the empty id: what belongs to no application. */
  readonly activityIn: (applicationId: string, ms: number) => Activity
}

/** A rule after this judgement. */
export interface JudgedRule {
  readonly rule: AlertRule
  readonly put: Put | null
  readonly event: Outgoing | null
  /** To the contact address. */
  readonly letter: Letter | null
}

/**
 * Judges every enabled rule of active applications; others stay as they are. `at`: ms, of the events; `mails`: whether
 * mails are sent.
 */
export function judgeRules(
  measured: Measured,
  { unit, at, mails }: { readonly unit: UnitOfWork; readonly at: number; readonly mails: boolean },
): readonly JudgedRule[] {
  const { applications, rules, tenantId } = measured.organization
  const active = new Map(applications.map(({ row }) => [row.applicationId, row]))
  return rules.flatMap((was) => {
    const { row } = was
    const application = row.applicationId === null ? null : active.get(row.applicationId)
    if (!row.enabled || application === undefined) return []
    const judgement = judgeAlert(row, row, measure(measured, row), at)
    const { after, change } = judgement
    const { mailing, due } = judgeMailing(row.mailing, judgement, unit.now)
    const triggeredAt = change === 'triggered' ? at : row.triggeredAt
    const rule: AlertRule = {
      ...row,
      ...after,
      triggeredAt: change === 'resolved' ? null : triggeredAt,
      mailing: mails ? mailing : row.mailing,
    }
    const isSame = JSON.stringify(rule) === JSON.stringify(row)
    const head: EventHead = { id: change ? unit.id('evt') : '', at, tenantId, application }
    return [
      {
        rule,
        put: isSame ? null : put(alertRules, rule, was),
        event: change && alertEvent(head, change, { ...rule, triggeredAt }),
        letter: mails && due > 0 ? alertLetter(rule, due) : null,
      },
    ]
  })
}

function alertEvent(
  head: EventHead,
  change: 'triggered' | 'resolved',
  { alertRuleId, name, metricName, currentValue, threshold, severity, triggeredAt }: AlertRule,
): Outgoing {
  const data = {
    alertRuleId,
    alertRuleName: name,
    metricName,
    currentValue: currentValue ?? 0,
    threshold,
    severity,
  }
  return change === 'triggered'
    ? legacyEvent(head, 'alert.triggered', data)
    : legacyEvent(head, 'alert.resolved', {
        ...data,
        triggeredAt: isoTime(triggeredAt ?? head.at),
      })
}

function measure(measured: Measured, rule: AlertRule): MetricValue {
  const { organization, activityIn, cases } = measured
  const { applicationId, metricName, windowSeconds } = rule
  const places =
    applicationId === null
      ? ['', ...organization.applications.map(({ row }) => row.applicationId)]
      : [applicationId]
  const activity = places.reduce(
    (sum, place) => plus(sum, activityIn(place, windowSeconds * 1_000)),
    noActivity,
  )
  const governance = places.flatMap((place) => organization.scores.get(place)?.governance ?? [])
  const limit = organization.plan.sessionsPerMonth
  const current: CurrentValues = {
    openCases: cases.get(applicationId)?.open ?? 0,
    overdueCases: cases.get(applicationId)?.overdue ?? 0,
    governance: governance.length === 0 ? null : Math.min(...governance),
    quotaUsed: limit === null ? null : percent(organization.used, limit),
  }
  return valueOfMetric(metricName, activity, current)
}
