export {
  add,
  emptyTally,
  type Failure,
  perform,
  planOf,
  type Tally,
  type Task,
} from './campaign.ts'
export { drawOrganizationPlan, drawSmallOrganizationPlan } from './draw-organizations.ts'
export { drawPlan, drawSmallPlan } from './draw-plan.ts'
export { drawSessionPlan, drawSmallSessionPlan } from './draw-sessions.ts'
export type { Plan } from './plan.ts'
export { type Count, type Property, properties, type Violation } from './properties.ts'
export { type ReceiverRules, rightRules } from './receivers.ts'
export { type RunOptions, type RunResult, run } from './run.ts'
export { everything, type Kept, restrict, shrink } from './shrink.ts'
export { type TwinStore, twinStore } from './twin-store.ts'
