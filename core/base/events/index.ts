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
  shapeOf,
} from './catalogue.ts'
export { faultOfSent } from './check-sent.ts'
export {
  type DecisionSignature,
  type DecisionStatement,
  decisionSignatureMembers,
  statementMembers,
} from './decision-signature.ts'
export { type AnyEvent, encodeEvent } from './envelope.ts'
export { type Envelope, envelopes } from './envelopes.ts'
export type { EnvelopeOf, EventOf } from './event.ts'
export type { LegacyEvent, PlatformEvent } from './legacy.ts'
export { type Outcome, type OutcomeDecision, outcomeMembers, outcomeType } from './outcome.ts'
export { comparePositions, type Position } from './position.ts'
export { requireKnown } from './require-known.ts'
export {
  type CancellationReason,
  type ContinuationOutcome,
  type Decision,
  type ReasonCategory,
  type ReviewEvent,
  type ReviewTier,
  reasonGroups,
  reviewTiers,
  type SubscriptionEvent,
  type WhyReason,
} from './review.ts'
export { type SentOutcome, sentOutcomeMembers } from './sent-outcome.ts'
export {
  type EventMembers,
  type EventShape,
  isCount,
  isList,
  isObject,
  isText,
  type Kind,
  type Mismatch,
  membersOf,
  mismatch,
  type ObjectOf,
  type ValueOf,
} from './shape.ts'
