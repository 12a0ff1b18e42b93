import type { OpenInput } from './case-calls.ts'
import { ApiError } from './errors.ts'
import type { ReviewOutcome } from './outcome.ts'
import type { CaseAnswer } from './types.ts'

/** A decided case with its signature, as it is verified: what was asked is the application's own word. */
export interface DecidedCase {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly checkpointId: string
  readonly resumeToken: string | null
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly presentationDigest: string | null
  readonly decision: ReviewOutcome['decision']
  readonly response: unknown
  readonly decisionSignature: unknown
}

/** Verifies reviewers' own signatures; `pinReviewers` of `@countersign/receiver-kit/reviewers` makes one. */
export interface SignatureCheck {
  /** Why the decision on what was asked is signed by no reviewer; null where it is. */
  faultOf(decided: DecidedCase, asked: Readonly<Record<string, unknown>>): Promise<string | null>
}

/** Throws unless the reviewer signed this decision on what was asked; nobody signs the end of other cases. */
export async function requireSigned(
  check: SignatureCheck,
  asked: OpenInput,
  { decision }: ReviewOutcome,
  review: CaseAnswer,
): Promise<void> {
  if (decision === 'cancelled' || decision === 'expired') return
  const { tenantId, applicationId, reviewCaseId, caseVersion, presentationDigest } = review
  const { decisionSignature = null } = review as { readonly decisionSignature?: unknown }
  const { sessionId, checkpointId, resumeToken = null } = asked
  const { response } = review
  const ids = { tenantId, applicationId, sessionId, checkpointId, reviewCaseId }
  const told = { resumeToken, caseVersion, presentationDigest, decision, response }
  // As it was sent.
  const presentation = JSON.parse(JSON.stringify(asked.presentation))
  const fault =
    review.decision === decision
      ? await check.faultOf({ ...ids, ...told, decisionSignature }, presentation)
      : 'the case tells another decision'
  if (fault === null) return
  throw new ApiError(
    'decision_not_signed',
    `no pinned key of a reviewer signed that case ${reviewCaseId} is ${decision}: ${fault}`,
  )
}
