import type { ReviewEventType, SubscriptionEventType } from './catalogue.ts'

/** Every value of `decision`. */
export const decisions = [
  'approved',
  'rejected',
  'follow_up_required',
  'response_submitted',
  'cancelled',
  'expired',
] as const
/** Decision on a case; `follow_up_required` leaves it open. */
export type Decision = (typeof decisions)[number]

/** Tiers of urgency; each has default deadlines. */
export const reviewTiers = ['standard', 'high', 'urgent'] as const
/** Tier of urgency of a case. */
export type ReviewTier = (typeof reviewTiers)[number]

/** Reason categories by group (interface, Reason categories). */
export const reasonGroups = {
  why: ['policy_requires_human_review', 'high_risk_action', 'sensitive_data'],
  assignment: ['claimed', 'reassigned'],
  cancellation: [
    'end_user_cancelled',
    'parent_workflow_ended',
    'safer_alternative_completed',
    'checkpoint_unavailable',
    'checkpoint_superseded',
    'application_lifecycle',
    'policy_rule_withdrawn',
  ],
  time: ['overdue', 'expired'],
  continuation: ['resumed', 'terminated', 'remained_paused', 'superseded', 'failed'],
  callback: ['callback_delivery_failed'],
  else: ['other'],
} as const
/** Why a review is needed. */
export type WhyReason = (typeof reasonGroups.why)[number]
/** Why a case was cancelled. */
export type CancellationReason = (typeof reasonGroups.cancellation)[number]
/** What the application did with the outcome. */
export type ContinuationOutcome = (typeof reasonGroups.continuation)[number]
/** Every reason category; receivers treat an unknown one as `other`. */
export type ReasonCategory = (typeof reasonGroups)[keyof typeof reasonGroups][number]

/** Payload of every `review.*` event; times are ISO 8601 UTC, a field without a value is null. */
export interface ReviewEvent<T extends ReviewEventType = ReviewEventType> {
  readonly id: string
  readonly type: T
  readonly schemaVersion: 1
  readonly time: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly eventSequence: number
  readonly decision: Decision | null
  readonly reviewTier: ReviewTier
  readonly dueAt: string
  readonly expiresAt: string
  readonly reasonCategory: ReasonCategory
  readonly presentationDigest: string | null
  readonly caseUrl: string
}

interface SubscriptionBase<T extends SubscriptionEventType> {
  readonly id: string
  readonly type: T
  readonly schemaVersion: 1
  readonly time: string
  readonly tenantId: string
  readonly subscriptionId: string
}

/** What single types add; null on the others. */
interface SubscriptionDetail {
  readonly challenge: string | null
  readonly reason: 'endpoint_gone' | 'retries_exhausted' | null
  readonly previousSecretValidUntil: string | null
  readonly missedFrom: string | null
  readonly missedUntil: string | null
}

/** An event of this type, whose own members have values. */
type WithDetail<
  T extends SubscriptionEventType,
  Own extends keyof SubscriptionDetail,
> = SubscriptionBase<T> & {
  readonly [Member in keyof SubscriptionDetail]: Member extends Own
    ? NonNullable<SubscriptionDetail[Member]>
    : null
}

/** Payload of every `subscription.*` event. */
export type SubscriptionEvent =
  | WithDetail<'subscription.verification_requested', 'challenge'>
  | WithDetail<'subscription.disabled', 'reason'>
  | WithDetail<'subscription.signing_key_rotating', 'previousSecretValidUntil'>
  | WithDetail<'subscription.events_missed', 'missedFrom' | 'missedUntil'>
