export { type BlobHost, type BrokenBlobs, blobHost, brokenBlobs } from './blobs/index.ts'
export { type BrokenReceiver, type FaultClass, faultClasses } from './faults/fault.ts'
export * from './inboxes/index.ts'
export {
  type KitOptions,
  type KitReceiver,
  type KitTurn,
  startKitReceiver,
} from './kit-receiver.ts'
export {
  type BrokenOutcomeReceiver,
  type OutcomeFaultClass,
  outcomeFaultClasses,
} from './outcome-fault.ts'
export {
  brokenOutcomeReceivers,
  brokenSignedReceivers,
  isAlike,
} from './outcome-faults.ts'
export { type OutcomeFault, type OutcomeGiven, startOutcomeReceiver } from './outcome-receiver.ts'
export { type RunningReceiver, startPlainReceiver } from './plain-receiver.ts'
export { brokenReceivers } from './receivers.ts'
export type { ReceiverKeys, Steps } from './steps.ts'
export * from './stores/index.ts'
