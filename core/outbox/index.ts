export { createDispatcher } from './dispatcher.ts'
export { type Endpoint, type Intake, type Kind, noIntake } from './kind.ts'
export { type Owed, owe } from './owe.ts'
export { policies } from './policy.ts'
export {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  type Message,
  messages,
  type PolicyName,
} from './records.ts'
