import {
  type Outcome,
  outcomeType,
  type ReviewEvent,
  type ReviewEventType,
  type SubscriptionEvent,
} from '@countersign/core/events'

/** A review event in the shape that is sent (interface, Review event), for tests. */
export function sampleReviewEvent<T extends ReviewEventType = 'review.case.created'>(
  change: Partial<ReviewEvent> & { readonly type?: T } = {},
): ReviewEvent<T> {
  return {
    id: 'evt_sample',
    type: 'review.case.created' as T,
    schemaVersion: 1,
    time: '2026-03-01T09:00:00.000Z',
    tenantId: 'ten_sample',
    applicationId: 'app_sample',
    sessionId: 'ses_sample',
    reviewCaseId: 'rc_sample',
    caseVersion: 1,
    eventSequence: 1,
    decision: null,
    reviewTier: 'standard',
    dueAt: '2026-03-02T09:00:00.000Z',
    expiresAt: '2026-03-08T09:00:00.000Z',
    reasonCategory: 'policy_requires_human_review',
    presentationDigest: null,
    caseUrl: 'https://ingest.example/v1/review-cases/rc_sample',
    ...change,
  }
}

/** The request to prove an endpoint, for tests. */
export function sampleChallenge(
  challenge: string,
): Extract<SubscriptionEvent, { readonly type: 'subscription.verification_requested' }> {
  return {
    id: 'evt_sample_challenge',
    type: 'subscription.verification_requested',
    schemaVersion: 1,
    time: '2026-03-01T09:00:00.000Z',
    tenantId: 'ten_sample',
    subscriptionId: 'wh_sample',
    challenge,
    reason: null,
    previousSecretValidUntil: null,
    missedFrom: null,
    missedUntil: null,
  }
}

/** An outcome callback, for tests. */
export function sampleOutcome(change: Partial<Outcome> = {}): Outcome {
  return {
    id: 'cb_sample',
    type: outcomeType,
    schemaVersion: 1,
    time: '2026-03-01T09:00:00.000Z',
    tenantId: 'ten_sample',
    applicationId: 'app_sample',
    sessionId: 'ses_sample',
    reviewCaseId: 'rc_sample',
    caseVersion: 3,
    decision: 'approved',
    checkpointId: 'step_sample',
    resumeToken: null,
    presentationDigest: null,
    response: null,
    caseUrl: 'https://ingest.example/v1/review-cases/rc_sample',
    ...change,
  }
}
