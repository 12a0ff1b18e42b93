import type { ReviewEventType, SubscriptionEventType } from './catalogue.ts'
import { envelopes } from './envelopes.ts'
import type { EnvelopeOf, EventOf } from './event.ts'

export {
  type CancellationReason,
  type ContinuationOutcome,
  type ReasonCategory,
  reasonGroups,
  type WhyReason,
} from './reasons.ts'

/** Decision on a case; `follow_up_required` leaves it open. */
export type Decision = Exclude<(typeof envelopes.review.decision)[number], null>

/** Tiers of urgency; each has default deadlines. */
export const reviewTiers: typeof envelopes.review.reviewTier = envelopes.review.reviewTier
/** Tier of urgency of a case. */
export type ReviewTier = (typeof reviewTiers)[number]

/** Payload of every `review.*` event; times are ISO 8601 UTC, a member without a value is null. */
export type ReviewEvent<T extends ReviewEventType = ReviewEventType> = EnvelopeOf<'review', T>

/** Payload of every `subscription.*` event. */
export type SubscriptionEvent = EventOf<SubscriptionEventType>
