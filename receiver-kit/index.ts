export { type Answer, type ReceiverRefusalCode, refusals } from './answer.ts'
export type { Endpoint, Inbound } from './endpoint.ts'
export type { EventScopeOptions } from './event-scope.ts'
export { type Fold, fold } from './fold.ts'
export type { Receiver } from './join-receiver.ts'
export { logProblems } from './log-problems.ts'
export { memoryInbox } from './memory-inbox.ts'
export {
  createOutcomeCallbackHandler,
  isApproved,
  type OutcomeHandlerOptions,
  type OutcomeProblem,
  type OutcomeTurn,
} from './outcome-handler.ts'
export type { Drained } from './pump.ts'
export type {
  AnyReviewEvent,
  KnownEvent,
  Message,
  ReceivedEvent,
  UnknownEvent,
} from './read-event.ts'
export {
  createReceiver,
  type EventTurn,
  type Place,
  type ReceiverOptions,
  type UnreadableTurn,
} from './receiver.ts'
export { type Difference, ReconcileError, type ReconcileOptions, reconcile } from './reconcile.ts'
export type { Served } from './served.ts'
export type { Settings } from './settings.ts'
export { systemClock } from './system-clock.ts'
