import { type Envelope, envelopes } from './envelopes.ts'
import type { EventMembers } from './shape.ts'

/**
 * The event catalogue: one row a type. `standard` events are signed in the Standard Webhooks profile and may be
 * retried for three days; `legacy` events carry `X-Service-Signature` and are tried four times (interface, Events).
 * `members` is what the type settles of its envelope.
 */
export const catalogue = {
  'review.case.created': { family: 'standard', envelope: 'review' },
  'review.case.assignment_changed': { family: 'standard', envelope: 'review' },
  'review.case.follow_up_required': { family: 'standard', envelope: 'review' },
  'review.case.decided': {
    family: 'standard',
    envelope: 'review',
    members: { decision: ['approved', 'rejected', 'response_submitted'] },
  },
  'review.case.cancelled': { family: 'standard', envelope: 'review' },
  'review.case.expired': { family: 'standard', envelope: 'review' },
  'review.case.overdue': { family: 'standard', envelope: 'review' },
  'review.continuation.acknowledged': { family: 'standard', envelope: 'review' },
  'review.continuation.delivery_failed': { family: 'standard', envelope: 'review' },
  'subscription.verification_requested': {
    family: 'standard',
    envelope: 'subscription',
    members: { challenge: 'text' },
  },
  'subscription.disabled': {
    family: 'standard',
    envelope: 'subscription',
    members: { reason: ['endpoint_gone', 'retries_exhausted'] },
  },
  'subscription.signing_key_rotating': {
    family: 'standard',
    envelope: 'subscription',
    members: { previousSecretValidUntil: 'time' },
  },
  'subscription.events_missed': {
    family: 'standard',
    envelope: 'subscription',
    members: { missedFrom: 'time', missedUntil: 'time' },
  },
  'alert.triggered': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        alertRuleId: 'text',
        alertRuleName: 'text',
        metricName: 'text',
        currentValue: 'number',
        threshold: 'number',
        severity: 'text',
      },
    },
  },
  'alert.resolved': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        alertRuleId: 'text',
        alertRuleName: 'text',
        metricName: 'text',
        currentValue: 'number',
        threshold: 'number',
        severity: 'text',
        triggeredAt: 'time',
      },
    },
  },
  'session.flagged': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        sessionId: 'text',
        flagId: 'text',
        flag: ['quality', 'safety', 'privacy', 'compliance', 'other'],
        severity: ['info', 'warning', 'critical'],
        source: ['member', 'policy', 'score'],
        flaggedAt: 'time',
      },
    },
  },
  'session.review.approved': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        sessionId: 'text',
        sessionReviewId: 'text',
        decision: ['approved'],
        reviewedAt: 'time',
      },
    },
  },
  'session.review.rejected': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        sessionId: 'text',
        sessionReviewId: 'text',
        decision: ['rejected'],
        reviewedAt: 'time',
      },
    },
  },
  'governance.threshold_breached': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        score: 'number',
        previousScore: 'number',
        threshold: 'number',
        windowDays: 'count',
        computedAt: 'time',
      },
    },
  },
  'gdpr.erasure_completed': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        dataSubjectId: 'text',
        erasureRequestId: 'text',
        completedAt: 'time',
        certificateUrl: 'text',
      },
    },
  },
  'gdpr.legal_hold_placed': {
    family: 'legacy',
    envelope: 'legacy',
    members: { data: { holdId: 'text', dataSubjectId: 'text', placedAt: 'time' } },
  },
  'application.purge_completed': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        requestedAt: 'time',
        purgedAt: 'time',
        sessionsDeleted: 'count',
        blobsDeleted: 'count',
        saltsDestroyed: 'count',
      },
    },
  },
  'quality.score_computed': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
        sessionId: 'text',
        score: 'number',
        components: 'numbers',
        scorer: 'text',
        computedAt: 'time',
      },
    },
  },
  'evidence_package.ready': {
    family: 'legacy',
    envelope: 'legacy',
    members: {
      data: {
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
      },
    },
  },
  'session.completed': {
    family: 'legacy',
    envelope: 'platform',
    members: {
      data: {
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
      },
    },
  },
  'application.promoted': {
    family: 'legacy',
    envelope: 'platform',
    members: {
      data: {
        fromStage: ['development', 'staging', 'production'],
        toStage: ['development', 'staging', 'production'],
        promotedAt: 'time',
      },
    },
  },
  'health.status_changed': {
    family: 'legacy',
    envelope: 'platform',
    members: {
      data: {
        scope: ['application', 'organization'],
        previousStatus: ['healthy', 'degraded', 'unhealthy', 'unknown'],
        status: ['healthy', 'degraded', 'unhealthy', 'unknown'],
        reasons: 'texts',
        changedAt: 'time',
      },
    },
  },
  'compliance.rule_violation': {
    family: 'legacy',
    envelope: 'platform',
    members: {
      data: {
        sessionId: 'text',
        'stepId?': 'text',
        ruleId: 'text',
        'ruleVersion?': 'count',
        ruleName: 'text',
        severity: ['info', 'warning', 'critical'],
        source: ['service', 'application'],
        detectedAt: 'time',
      },
    },
  },
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
