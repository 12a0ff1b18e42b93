import { ApiError } from './errors.ts'
import type { CaseAnswer } from './types.ts'

/** How a case ended. */
export interface ReviewOutcome {
  /** Whether the action may proceed: `approved` alone. */
  readonly approved: boolean
  readonly decision: 'approved' | 'rejected' | 'response_submitted' | 'cancelled' | 'expired'
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly sessionId: string
  readonly checkpointId: string
  /** SHA-256 of what the reviewer saw; null where nobody had the case. */
  readonly presentationDigest: string | null
  /** What the reviewer answered with `response_submitted`, else null. */
  readonly response: unknown
  /** The reviewer's words; null where there are none, and where they could not be read after a callback. */
  readonly comment: string | null
  /** Member who decided; null where nobody did, and where it could not be read after a callback. */
  readonly decidedBy: string | null
}

/** Body of a verified outcome callback, as the receiver kit hands it on. It has neither words nor names of people. */
export type CalledBack = Omit<ReviewOutcome, 'approved' | 'comment' | 'decidedBy'>

/** The state of a case that ended so. */
const stateOf: Readonly<Record<ReviewOutcome['decision'], CaseAnswer['state']>> = {
  approved: 'decided',
  rejected: 'decided',
  response_submitted: 'decided',
  cancelled: 'cancelled',
  expired: 'expired',
}

function isEnd(decision: unknown): decision is ReviewOutcome['decision'] {
  return typeof decision === 'string' && Object.hasOwn(stateOf, decision)
}

/** The outcome that a callback tells, without its other members. Throws an ApiError for a decision that ends no case. */
export function outcomeOfCallback(called: CalledBack): ReviewOutcome {
  const { reviewCaseId, caseVersion, sessionId, checkpointId, decision } = called
  const { presentationDigest, response } = called
  if (!isEnd(decision))
    throw new ApiError(
      'unexpected_answer',
      `expected a decision that ends a case, got ${JSON.stringify(decision)}`,
    )
  return {
    approved: decision === 'approved',
    decision,
    reviewCaseId,
    caseVersion,
    sessionId,
    checkpointId,
    presentationDigest,
    response,
    comment: null,
    decidedBy: null,
  }
}

/** The outcome with what only the case tells of it. */
export function withReviewer(
  outcome: ReviewOutcome,
  { reviewerComment = null, decidedBy = null }: Partial<CaseAnswer>,
): ReviewOutcome {
  return { ...outcome, comment: reviewerComment, decidedBy }
}

/** The outcome of a closed case. Throws an ApiError for a state or a decision that no closed case has. */
export function outcomeOfCase(review: CaseAnswer): ReviewOutcome {
  const { state, decision, checkpoint } = review
  const ended = state === 'decided' ? decision : state
  if (!isEnd(ended) || stateOf[ended] !== state)
    throw new ApiError(
      'unexpected_answer',
      `expected a case that is decided, cancelled or expired, got ${JSON.stringify({ state, decision })}`,
      { status: 200 },
    )
  const { checkpointId } = checkpoint
  return withReviewer(outcomeOfCallback({ ...review, checkpointId, decision: ended }), review)
}
