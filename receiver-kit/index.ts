export { type Fold, fold } from './events/fold.ts'
export type {
  AnyReviewEvent,
  KnownEvent,
  Message,
  ReceivedEvent,
  UnknownEvent,
} from './events/read-event.ts'
export type { InboxFailure } from './handling/inbox-health.ts'
export { memoryInbox } from './handling/memory-inbox.ts'
export type { Drained } from './handling/pump.ts'
export type { Receiver, ReceiverStatus } from './join-receiver.ts'
export { logProblems } from './log-problems.ts'
export type { ReceiverEvents, ReceiverObserver } from './observed-events.ts'
export {
  createOutcomeCallbackHandler,
  isApproved,
  type OutcomeHandlerOptions,
  type OutcomeProblem,
  type OutcomeTurn,
} from './outcome-handler.ts'
export {
  createReceiver,
  type EventTurn,
  type Place,
  type ReceiverOptions,
  type UnreadableTurn,
} from './receiver.ts'
export { type ReceiverAnswer, type ReceiverRefusalCode, refusals } from './receiving/answer.ts'
export type { Endpoint, Inbound, Mountable } from './receiving/endpoint.ts'
export type { EventScopeOptions } from './receiving/event-scope.ts'
export type { Served } from './receiving/served.ts'
export { type Difference, ReconcileError, type ReconcileOptions, reconcile } from './reconcile.ts'
export type { Settings } from './settings.ts'
export { systemClock } from './system-clock.ts'
