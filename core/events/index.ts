export {
  catalogue,
  type EventKind,
  type EventType,
  type Family,
  familyOf,
  isEventType,
  type LegacyEventType,
  type PlatformEventType,
  type ReviewEventType,
  type SubscriptionEventType,
  selectableTypes,
} from './catalogue.ts'
export { type AnyEvent, encodeEvent } from './envelope.ts'
export {
  type LegacyData,
  type LegacyEvent,
  type PlatformEvent,
  platformApiVersion,
} from './legacy.ts'
export { type Outcome, type OutcomeDecision, outcomeType } from './outcome.ts'
export { comparePositions, type Position } from './position.ts'
export {
  type CancellationReason,
  type ContinuationOutcome,
  type Decision,
  decisions,
  type ReasonCategory,
  type ReviewEvent,
  type ReviewTier,
  reasonGroups,
  reviewTiers,
  type SubscriptionEvent,
  type WhyReason,
} from './review.ts'
