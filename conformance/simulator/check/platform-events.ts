import {
  deliveries,
  erasureRequests,
  legalHolds,
  messages,
  type PolicyResult,
  sessionFlags,
  sessionReviews,
  sessions,
  steps,
  webhooks,
} from '@countersign/core/internal'
import { type Committed, of, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { textOf } from './context.ts'
import { selects } from './events.ts'

/** An event that the rows of a commit call for: its type, and members of its `data`. */
interface Due {
  readonly type: string
  readonly tenantId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Events of sessions, flags, reviews, holds and erasures: each stands in the commit of its change, once. */
export function checkPlatformEvents(world: World, truth: Truth, committed: Committed): void {
  const due = dueOf(committed)
  const made = of(messages, committed.transitions).flatMap(({ before, after }) =>
    !before && after && after.row.type in told ? [after.row] : [],
  )
  const owed = of(deliveries, committed.transitions).flatMap(({ before, after }) =>
    !before && after ? [after.row] : [],
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
    }
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
    if (!before && after)
      for (const data of violations(after.row.policyResults))
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
  return due
}

const violation = 'compliance.rule_violation'

function violations(results: readonly PolicyResult[]): readonly Due['data'][] {
  return results
    .filter(({ effect }) => effect === 'deny')
    .map(({ ruleId, stepId }) => ({ ruleId, stepId }))
}
