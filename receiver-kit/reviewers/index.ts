export type {
  AskedCase,
  AskedDocument,
  DecisionTimes,
  RequestVerifier,
  ReviewerKey,
  Reviewers,
  ReviewersOfApplication,
  SignatureFault,
  SignedOutcome,
} from '@countersign/core/webauthn'
export { pinReviewers } from './pin-reviewers.ts'
export type { PinnedReviewers } from './pinned-reviewers.ts'
export {
  createSignedOutcomeHandler,
  type ReviewedOutcome,
  type ReviewedProblem,
  type ReviewedTurn,
  type SignedHandlerOptions,
} from './signed-outcome-handler.ts'
