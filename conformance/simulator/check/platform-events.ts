import {
  alertRules,
  applicationHealths,
  applications,
  deliveries,
  erasureRequests,
  legalHolds,
  messages,
  type PolicyResult,
  type StoredStep,
  sessionFlags,
  sessionReviews,
  sessions,
  steps,
  webhooks,
} from '@countersign/core/internal'
import { type Committed, of, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { judged } from './alerts.ts'
import { textOf } from './context.ts'
import { selects } from './events.ts'
import type { MissedEvent } from './missed-windows.ts'

/** An event that the rows of a commit call for: its type, and members of its `data`. */
interface Due {
  readonly type: string
  readonly tenantId: string
  readonly data: Readonly<Record<string, unknown>>
  /** The time of the event, where its row tells it. */
  readonly at?: number
}

/**
 * Events of the legacy and the platform family: each stands in the commit of its change, once, and is owed to the
 * webhooks of its tenant that select it. The answer is what those missed that are off.
 */
export function checkPlatformEvents(
  world: World,
  truth: Truth,
  committed: Committed,
): readonly MissedEvent[] {
  const missed: MissedEvent[] = []
  const due = dueOf(committed)
  const owed = of(deliveries, committed.transitions).flatMap(({ before, after }) =>
    !before && after ? [after.row] : [],
  )
  const tests = owed.filter(({ kind }) => kind === 'test').map(({ messageId }) => messageId)
  const made = of(messages, committed.transitions).flatMap(({ before, after }) =>
    !before && after && after.row.type in told && !tests.includes(after.row.messageId)
      ? [after.row]
      : [],
  )
  const open = [...due]
  const ids = new Map<Due, string>()
  for (const message of made) {
    const { data } = JSON.parse(textOf(message.body)) as Pick<Due, 'data'>
    const at = open.findIndex(
      (one) =>
        one.type === message.type &&
        one.tenantId === message.tenantId &&
        Object.entries(one.data).every(([name, value]) => data[name] === value),
    )
    const [found] = at < 0 ? [] : open.splice(at, 1)
    if (found) ids.set(found, message.messageId)
    else
      world.broken(
        'a change and its events',
        `${message.type} ${message.messageId} tells of nothing in its commit`,
      )
  }
  for (const event of due)
    for (const { row } of truth.rows(webhooks).values()) {
      if (row.tenantId !== event.tenantId) continue
      const is = owed.some(
        (one) => one.endpointId === row.webhookId && one.messageId === ids.get(event),
      )
      const wanted = row.status === 'receiving' && selects(row, event.type)
      if (wanted !== is)
        world.broken(
          'every event is owed',
          `${event.type} ${JSON.stringify(event.data)}: owed to ${row.webhookId} ${is}, wanted ${wanted}`,
        )
      const { at, type } = event
      if (at !== undefined && row.status !== 'receiving' && selects(row, type))
        missed.push({ webhookId: row.webhookId, at, what: type })
    }
  return missed
}

/** The types that are looked at. */
const told: Readonly<Record<string, true>> = {
  'session.completed': true,
  'quality.score_computed': true,
  'session.flagged': true,
  'session.review.approved': true,
  'session.review.rejected': true,
  'gdpr.legal_hold_placed': true,
  'gdpr.erasure_completed': true,
  'compliance.rule_violation': true,
  'alert.triggered': true,
  'alert.resolved': true,
  'application.promoted': true,
  'application.purge_completed': true,
  'health.status_changed': true,
}

function dueOf({ transitions }: Committed): readonly Due[] {
  const due: Due[] = []
  // Marks go with the steps of a session that is dissolved: their rows move.
  const moved = new Set([
    ...of(sessionFlags, transitions).flatMap((one) => (one.after ? [] : one.before?.row.flagId)),
    ...of(sessionReviews, transitions).flatMap((one) =>
      one.after ? [] : one.before?.row.sessionReviewId,
    ),
  ])
  for (const { before, after } of of(sessions, transitions)) {
    if (!after) continue
    const { tenantId, sessionId, completedAt, quality, policyResults } = after.row
    const add = (type: string, data: Due['data']) => due.push({ type, tenantId, data })
    if (completedAt !== null && (before?.row.completedAt ?? null) === null)
      add('session.completed', { sessionId, stepCount: after.row.tally.steps })
    if (quality !== null && (before?.row.quality ?? null) === null)
      add('quality.score_computed', { sessionId, score: quality / 10 })
    if (!before)
      for (const data of violations(policyResults)) add(violation, { sessionId, ...data })
  }
  for (const { before, after } of of(steps, transitions))
    if (after)
      for (const data of violations(added(before?.row ?? null, after.row)))
        due.push({
          type: violation,
          tenantId: after.row.tenantId,
          data: { sessionId: after.row.sessionId, ...data },
        })
  for (const { before, after } of of(sessionFlags, transitions))
    if (!before && after && !moved.has(after.row.flagId)) {
      const { tenantId, flagId, sessionId, flag } = after.row
      due.push({ type: 'session.flagged', tenantId, data: { flagId, sessionId, flag } })
    }
  for (const { before, after } of of(sessionReviews, transitions))
    if (!before && after && !moved.has(after.row.sessionReviewId)) {
      const { tenantId, decision, sessionReviewId } = after.row
      due.push({ type: `session.review.${decision}`, tenantId, data: { sessionReviewId } })
    }
  for (const { before, after } of of(legalHolds, transitions))
    if (!before && after) {
      const { tenantId, holdId, dataSubjectId } = after.row
      due.push({ type: 'gdpr.legal_hold_placed', tenantId, data: { holdId, dataSubjectId } })
    }
  for (const { before, after } of of(erasureRequests, transitions))
    if (after?.row.status === 'completed' && before?.row.status !== 'completed') {
      const { tenantId, erasureRequestId, dataSubjectId } = after.row
      const data = { erasureRequestId, dataSubjectId }
      due.push({ type: 'gdpr.erasure_completed', tenantId, data })
    }
  return [...due, ...ofAlerts(transitions), ...ofApplications(transitions)]
}

function ofAlerts(transitions: Committed['transitions']): readonly Due[] {
  return of(alertRules, transitions).flatMap((change): readonly Due[] => {
    const { before, after } = change
    if (!before || !after || !judged(change) || before.row.state === after.row.state) return []
    const { tenantId, alertRuleId, metricName, currentValue, threshold, severity } = after.row
    const data = { alertRuleId, metricName, currentValue, threshold, severity }
    const type = after.row.state === 'triggered' ? 'alert.triggered' : 'alert.resolved'
    return [{ type, tenantId, data, at: after.row.stateSince }]
  })
}

function ofApplications(transitions: Committed['transitions']): readonly Due[] {
  const lives = of(applications, transitions).flatMap(({ before, after }): readonly Due[] => {
    if (!before || !after) return []
    const { tenantId, stage, promotedAt, purgedAt, lifecycleState } = after.row
    if (lifecycleState === 'purged')
      return [
        { type: 'application.purge_completed', tenantId, data: {}, at: purgedAt ?? Number.NaN },
      ]
    const fromStage = before.row.stage ?? 'development'
    if (stage === undefined || stage === fromStage) return []
    const data = { fromStage, toStage: stage }
    return [{ type: 'application.promoted', tenantId, data, at: promotedAt ?? Number.NaN }]
  })
  const healths = of(applicationHealths, transitions).flatMap(({ before, after }) => {
    const previousStatus = before?.row.status ?? 'unknown'
    if (!after || after.row.status === previousStatus) return []
    const { tenantId, status, since, applicationId } = after.row
    const scope = applicationId === '' ? 'organization' : 'application'
    const data = { scope, previousStatus, status }
    return [{ type: 'health.status_changed', tenantId, data, at: since }]
  })
  return [...lives, ...healths]
}

const violation = 'compliance.rule_violation'

/** Results of a step that it had not before; a session that moves takes its own along. */
function added(before: StoredStep | null, after: StoredStep): readonly PolicyResult[] {
  const known = new Set(
    before?.policyResults.map(({ ruleId, ruleVersion }) => `${ruleId} ${ruleVersion}`),
  )
  return after.policyResults.filter(
    ({ ruleId, ruleVersion }) => !known.has(`${ruleId} ${ruleVersion}`),
  )
}

function violations(results: readonly PolicyResult[]): readonly Due['data'][] {
  return results
    .filter(({ effect }) => effect === 'deny')
    .map(({ ruleId, stepId }) => ({ ruleId, stepId }))
}
