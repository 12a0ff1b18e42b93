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
}

/** Body of a verified outcome callback, as the receiver kit hands it on. */
export type CalledBack = Omit<ReviewOutcome, 'approved'>

/** The outcome that a callback tells, without its other members. */
export function outcomeOfCallback(called: CalledBack): ReviewOutcome {
  const { reviewCaseId, caseVersion, sessionId, checkpointId, decision } = called
  const { presentationDigest, response } = called
  return {
    approved: decision === 'approved',
    decision,
    reviewCaseId,
    caseVersion,
    sessionId,
    checkpointId,
    presentationDigest,
    response,
  }
}

/** The outcome of a case that is closed. */
export function outcomeOfCase(review: CaseAnswer): ReviewOutcome {
  const { state, decision, checkpoint } = review
  const ended = state === 'decided' ? decision : state
  return outcomeOfCallback({
    ...review,
    checkpointId: checkpoint.checkpointId,
    decision: ended as ReviewOutcome['decision'],
  })
}
