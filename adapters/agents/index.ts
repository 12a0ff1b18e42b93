export type { Together } from './meetings.ts'
export type {
  AskedPlace,
  AskOptions,
  OpenedCall,
  Problem,
  Reviews,
  ReviewsOptions,
  RunCallOptions,
  RunContext,
  SpendOptions,
  ToolPolicy,
} from './options.ts'
export { type Action, actionOf, type Description } from './present-call.ts'
export { type ResumeToken, readResumeToken, writeResumeToken } from './resume-token.ts'
export { createReviews } from './reviews.ts'
export { type CallIds, checkpointOf, type ToolCall } from './tool-call.ts'
export { type CallVerdict, callVerdictOf, NotRun, type VerdictCode } from './verdict.ts'
