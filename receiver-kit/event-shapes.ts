import {
  decisions,
  type EventKind,
  type EventType,
  platformApiVersion,
  reviewTiers,
} from '@countersign/core/events'
import { count, nested, number, object, oneOf, optional, type Shape, text, time } from './shape.ts'

const standard: Shape = { schemaVersion: oneOf(1), id: text, time, tenantId: text }

/** What a typed view may rely on, by envelope; members that no shape names pass. */
const envelopes: Readonly<Record<EventKind['envelope'], Shape>> = {
  review: {
    ...standard,
    applicationId: text,
    sessionId: text,
    reviewCaseId: text,
    caseVersion: count,
    eventSequence: count,
    decision: optional(oneOf(...decisions)),
    reviewTier: oneOf(...reviewTiers),
    dueAt: time,
    expiresAt: time,
    reasonCategory: text,
    presentationDigest: optional(text),
    caseUrl: text,
  },
  subscription: { ...standard, subscriptionId: text },
  legacy: {
    id: text,
    timestamp: time,
    tenantId: text,
    applicationId: optional(text),
    data: object,
  },
  platform: {
    apiVersion: oneOf(platformApiVersion),
    id: text,
    timestamp: time,
    customerId: text,
    application: optional(nested({ id: text })),
    data: object,
  },
}

const alert = nested({
  alertRuleId: text,
  alertRuleName: text,
  metricName: text,
  currentValue: number,
  threshold: number,
  severity: text,
})

/** What single types add. */
const additions: Partial<Record<EventType, Shape>> = {
  'review.case.decided': { decision: oneOf('approved', 'rejected', 'response_submitted') },
  'subscription.verification_requested': { challenge: text },
  'subscription.disabled': { reason: oneOf('endpoint_gone', 'retries_exhausted') },
  'subscription.signing_key_rotating': { previousSecretValidUntil: time },
  'subscription.events_missed': { missedFrom: time, missedUntil: time },
  'alert.triggered': { data: alert },
  'alert.resolved': { data: alert },
  'gdpr.erasure_completed': {
    data: nested({
      dataSubjectId: text,
      erasureRequestId: text,
      completedAt: time,
      certificateUrl: text,
    }),
  },
}

export function shapeOf(type: EventType, envelope: EventKind['envelope']): Shape {
  return { ...envelopes[envelope], ...additions[type] }
}
