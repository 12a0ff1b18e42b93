export { createCallbackKind } from './callback/callback-kind.ts'
export { callbackSweep } from './callback/callback-sweep.ts'
export { createReviewCases } from './create-review-cases.ts'
export { createDeadlineHandler } from './deadlines.ts'
export type { CallbackDeps, ReviewDeps, ReviewHost } from './deps.ts'
export { presentationDigest } from './machine/presentation-digest.ts'
export type { StepName } from './machine/steps.ts'
export { type OutcomeKey, openWithOwnKey, outcomeKeys } from './outcome-keys.ts'
export {
  cancellationParts,
  type PolicyCase,
  policyCaseParts,
} from './policy-case.ts'
export { openCaseAt, type ReviewCase, reviewCases, type StepRecord } from './records.ts'
export { hasOwnKey, openOutcome } from './sealing.ts'
export type { ReviewCaseUseCases } from './use-cases.ts'
export type {
  CallbackAttemptView,
  CallbackState,
  CaseCallbackView,
  CaseFilter,
  CaseRow,
  CaseState,
  CaseView,
  DecideCase,
  FollowUp,
  HistoryEntry,
  OpenCase,
  Presentation,
  SeenVersion,
} from './view.ts'
