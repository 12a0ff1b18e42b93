export { createCallbackKind } from './callback-kind.ts'
export { callbackSweep } from './callback-sweep.ts'
export { createReviewCases } from './create-review-cases.ts'
export { createDeadlineHandler } from './deadlines.ts'
export type { CallbackPorts, ReviewHost, ReviewPorts } from './ports.ts'
export { presentationDigest } from './presentation.ts'
export { type ReviewCase, reviewCases, type StepRecord } from './records.ts'
export { openOutcome } from './sealing.ts'
export type { StepName } from './steps.ts'
export type { ReviewCaseUseCases } from './use-cases.ts'
export type {
  CallbackState,
  CaseFilter,
  CaseRow,
  CaseState,
  CaseView,
  DecideCase,
  FollowUp,
  HistoryEntry,
  OpenCase,
  Presentation,
  Seen,
} from './view.ts'
