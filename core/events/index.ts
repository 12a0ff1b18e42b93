export {
  catalogue,
  type EventKind,
  type EventType,
  type Family,
  familyOf,
  isEventType,
  type OlderEventType,
  type PlatformEventType,
  type ReviewEventType,
  type SubscriptionEventType,
  selectableTypes,
} from './catalogue.ts'
export { encodeEvent, type ServiceEvent } from './envelope.ts'
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
export {
  type OlderData,
  type OlderEvent,
  type PlatformEvent,
  platformApiVersion,
} from './service.ts'
