export type { BrokenReceiver } from './faults/fault.ts'
export {
  type KitOptions,
  type KitReceiver,
  type KitTurn,
  startKitReceiver,
} from './kit-receiver.ts'
export {
  type ReceiverKeys,
  type RunningReceiver,
  startPlainReceiver,
} from './plain-receiver.ts'
export { brokenReceivers } from './receivers.ts'
export type { Steps } from './steps.ts'
