import {
  type EventMembers,
  type EventOf,
  type EventShape,
  type EventType,
  isList,
  membersOf,
  type Outcome,
  outcomeType,
  type ReviewEvent,
  type ReviewEventType,
  type SubscriptionEvent,
  shapeOf,
} from '@countersign/core/events'

/** A sample event of any type, with the shape of the catalogue; nullable members are null. */
export function sampleEvent<T extends EventType>(
  type: T,
  change: Partial<EventOf<T>> = {},
): EventOf<T> {
  return { ...sampleOf(shapeOf(type)), type, ...change } as unknown as EventOf<T>
}

function sampleOf(members: EventMembers): Readonly<Record<string, unknown>> {
  const entries = membersOf(members).map(([name, shape, nullable]) => [
    name,
    nullable ? null : sampleValue(name, shape),
  ])
  return Object.fromEntries(entries)
}

function sampleValue(name: string, shape: EventShape): unknown {
  if (typeof shape === 'object') return isList(shape) ? shape[0] : sampleOf(shape)
  switch (shape) {
    case 'time':
      return '2026-03-01T09:00:00.000Z'
    case 'number':
    case 'count':
      return 1
    case 'reason':
      return 'other'
    case 'texts':
      return [`${name}_sample`]
    case 'numbers':
    case 'object':
      return {}
    default:
      return `${name}_sample`
  }
}

/** A sample review event. */
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

/** A sample verification request. */
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

/** A sample outcome callback. */
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
