import { type Envelope, envelopes } from './envelopes.ts'
import type { EventMembers } from './shape.ts'

const review = { family: 'standard', envelope: 'review' } as const
const subscription = <const M extends EventMembers>(members: M) =>
  ({ family: 'standard', envelope: 'subscription', members }) as const
const legacy = <const D extends EventMembers>(data: D) =>
  ({ family: 'legacy', envelope: 'legacy', members: { data } }) as const
const platform = <const D extends EventMembers>(data: D) =>
  ({ family: 'legacy', envelope: 'platform', members: { data } }) as const

/** What both events of an alert tell. */
const alert = {
  alertRuleId: 'text',
  alertRuleName: 'text',
  metricName: 'text',
  currentValue: 'number',
  threshold: 'number',
  severity: 'text',
} as const

/**
 * The event catalogue: one row a type. `standard` events are signed in the Standard Webhooks profile and may be
 * retried for three days; `legacy` events carry `X-Service-Signature` and are tried four times (interface, Events).
 * `members` is what the type settles of its envelope.
 */
export const catalogue = {
  'review.case.created': review,
  'review.case.assignment_changed': review,
  'review.case.follow_up_required': review,
  'review.case.decided': {
    ...review,
    members: { decision: ['approved', 'rejected', 'response_submitted'] },
  },
  'review.case.cancelled': review,
  'review.case.expired': review,
  'review.case.overdue': review,
  'review.continuation.acknowledged': review,
  'review.continuation.delivery_failed': review,
  'subscription.verification_requested': subscription({ challenge: 'text' }),
  'subscription.disabled': subscription({ reason: ['endpoint_gone', 'retries_exhausted'] }),
  'subscription.signing_key_rotating': subscription({ previousSecretValidUntil: 'time' }),
  'subscription.events_missed': subscription({ missedFrom: 'time', missedUntil: 'time' }),
  'alert.triggered': legacy(alert),
  'alert.resolved': legacy({ ...alert, triggeredAt: 'time' }),
  'session.flagged': legacy({
    sessionId: 'text',
    flagId: 'text',
    flag: ['quality', 'safety', 'privacy', 'compliance', 'other'],
    severity: ['info', 'warning', 'critical'],
    source: ['member', 'policy', 'score'],
    flaggedAt: 'time',
  }),
  'session.review.approved': legacy({
    sessionId: 'text',
    sessionReviewId: 'text',
    decision: ['approved'],
    reviewedAt: 'time',
  }),
  'session.review.rejected': legacy({
    sessionId: 'text',
    sessionReviewId: 'text',
    decision: ['rejected'],
    reviewedAt: 'time',
  }),
  'governance.threshold_breached': legacy({
    score: 'number',
    previousScore: 'number',
    threshold: 'number',
    windowDays: 'count',
    computedAt: 'time',
  }),
  'gdpr.erasure_completed': legacy({
    dataSubjectId: 'text',
    erasureRequestId: 'text',
    completedAt: 'time',
    certificateUrl: 'text',
  }),
  'gdpr.legal_hold_placed': legacy({ holdId: 'text', dataSubjectId: 'text', placedAt: 'time' }),
  'application.purge_completed': legacy({
    requestedAt: 'time',
    purgedAt: 'time',
    sessionsDeleted: 'count',
    blobsDeleted: 'count',
    saltsDestroyed: 'count',
  }),
  'quality.score_computed': legacy({
    sessionId: 'text',
    score: 'number',
    components: 'numbers',
    scorer: 'text',
    computedAt: 'time',
  }),
  'evidence_package.ready': legacy({
    packageId: 'text',
    packType: ['bulk', 'auditor', 'subject'],
    fileName: 'text',
    mediaType: 'text',
    bytes: 'count',
    sha256: 'text',
    sessionCount: 'count',
    createdAt: 'time',
    expiresAt: 'time',
    downloadUrl: 'text',
  }),
  'session.completed': platform({
    sessionId: 'text',
    status: ['completed', 'failed'],
    startedAt: 'time',
    endedAt: 'time',
    durationMs: 'count',
    stepCount: 'count',
    errorCount: 'count',
    inputTokens: 'count',
    outputTokens: 'count',
    models: 'texts',
    policyEffects: { allow: 'count', deny: 'count', requireReview: 'count' },
  }),
  'application.promoted': platform({
    fromStage: ['development', 'staging', 'production'],
    toStage: ['development', 'staging', 'production'],
    promotedAt: 'time',
  }),
  'health.status_changed': platform({
    scope: ['application', 'organization'],
    previousStatus: ['healthy', 'degraded', 'unhealthy', 'unknown'],
    status: ['healthy', 'degraded', 'unhealthy', 'unknown'],
    reasons: 'texts',
    changedAt: 'time',
  }),
  'compliance.rule_violation': platform({
    sessionId: 'text',
    'stepId?': 'text',
    ruleId: 'text',
    'ruleVersion?': 'count',
    ruleName: 'text',
    severity: ['info', 'warning', 'critical'],
    source: ['service', 'application'],
    detectedAt: 'time',
  }),
} as const

/** Which signature and retry policy an event has. */
export type Family = 'standard' | 'legacy'

/** Signature family and envelope of an event type. */
export interface EventKind {
  readonly family: Family
  readonly envelope: Envelope
  readonly members?: EventMembers
}

/** Every event type of the catalogue. */
export type EventType = keyof typeof catalogue
type TypesWith<E extends Envelope> = {
  [T in EventType]: (typeof catalogue)[T]['envelope'] extends E ? T : never
}[EventType]
/** Types of review events. */
export type ReviewEventType = TypesWith<'review'>
/** Types of subscription events. */
export type SubscriptionEventType = TypesWith<'subscription'>
/** Types in the legacy envelope. */
export type LegacyEventType = TypesWith<'legacy'>
/** Types in the platform envelope. */
export type PlatformEventType = TypesWith<'platform'>

/** Types that a webhook may select; `subscription.*` go to every webhook and cannot be turned off. */
export const selectableTypes: readonly EventType[] = (Object.keys(catalogue) as EventType[]).filter(
  (type) => catalogue[type].envelope !== 'subscription',
)

/** Whether the catalogue has this type. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(catalogue, type)
}

/** The signature family of a type. */
export function familyOf(type: EventType): Family {
  return catalogue[type].family
}

/** The shape of a whole event of this type. */
export function shapeOf(type: EventType): EventMembers {
  const { envelope, members }: EventKind = catalogue[type]
  return { ...envelopes[envelope], ...members }
}
