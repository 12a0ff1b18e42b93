export { type AnswerVerdict, judge } from './answer.ts'
export { createDispatcher, type Dispatcher } from './dispatcher.ts'
export {
  type Endpoint,
  type Headers,
  type Intake,
  type Kind,
  noIntake,
  type Outcomes,
  type Parts,
  type SettledAttempt,
  type SignAttempt,
} from './kind.ts'
export { begin, giveBack, giveUp, type Moment, replay, settle } from './machine.ts'
export { type DispatcherOptions, defaultDispatcherOptions } from './options.ts'
export { type Owed, owe } from './owe.ts'
export { attemptBudget, type Failure, nextAttemptAt, policies, type RetryPolicy } from './policy.ts'
export {
  type AttemptRecord,
  type AttemptTrigger,
  attempts,
  type Delivery,
  type DeliveryKind,
  type DeliveryStatus,
  deliveries,
  type Message,
  messages,
  type PolicyName,
  type StoredStatus,
} from './records.ts'
export { type StatusView, statusOf } from './status.ts'
