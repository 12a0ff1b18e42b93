export type { AskedDocument, ReviewerKey, Reviewers } from '@countersign/core/webauthn'
export type { PinnedReviewers } from './pinned-reviewers.ts'
export {
  createSignedOutcomeHandler,
  type ReviewedOutcome,
  type ReviewedProblem,
  type ReviewedTurn,
  type SignedHandlerOptions,
} from './signed-outcome-handler.ts'
