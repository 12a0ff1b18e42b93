import type { OpenInput } from './case-calls.ts'
import { ApiError } from './errors.ts'
import { outcomeOfCallback, type ReviewOutcome, withReviewer } from './outcome.ts'
import type { CaseAnswer } from './types.ts'

/** What was asked, in the application's own words: a decision counts for exactly this. */
export interface RequestedCase {
  readonly sessionId: string
  readonly checkpointId: string
  /** Null where none was given. */
  readonly resumeToken: string | null
  readonly presentation: Readonly<Record<string, unknown>>
}

/** A decided case with its signature, as it is verified: what was asked is the application's own word. */
export interface DecidedCase extends Omit<RequestedCase, 'presentation'> {
  readonly tenantId: string
  readonly applicationId: string
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly presentationDigest: string | null
  readonly decision: ReviewOutcome['decision']
  readonly response: unknown
  readonly decisionSignature: unknown
}

/** When a decision came and by when it had to be signed, by the application's own clock: ms since the epoch. */
export interface DecidedTimes {
  readonly receivedAt: number
  readonly deadline?: number | undefined
}

/** Why a decision does not count: no reviewer signed it, or one did at another time than it may have been. */
export interface DecisionFault {
  readonly code: 'not_signed' | 'out_of_time'
  readonly detail: string
}

/** Verifies reviewers' own signatures; `pinReviewers` of `@countersign/receiver-kit/reviewers` makes one. */
export interface SignatureCheck {
  /** Why the decision on what was asked is signed by no reviewer in its time; null where it is. */
  faultOf(
    decided: DecidedCase,
    asked: RequestedCase,
    times: DecidedTimes,
  ): Promise<DecisionFault | null>
}

/**
 * The outcome as the reviewer signed it; throws unless they did, for this decision on what was asked, in its time. Its
 * `comment` is the service's word. `receivedAt`: when it came, ms since the epoch; it is compared with the time of the
 * signature, and the `expiresAt` that was asked for too. The end of other cases, which nobody signs, has no response
 * and nobody who decided it, whatever was told.
 */
export async function requireSigned(
  check: SignatureCheck,
  asked: OpenInput,
  told: ReviewOutcome,
  review: CaseAnswer,
  receivedAt: number,
): Promise<ReviewOutcome> {
  const { decision } = told
  if (decision === 'cancelled' || decision === 'expired')
    return { ...told, response: null, comment: null, decidedBy: null }
  const { tenantId, applicationId, reviewCaseId, caseVersion, presentationDigest, response } =
    review
  const { decisionSignature = null } = review as { readonly decisionSignature?: object | null }
  const { sessionId, checkpointId, resumeToken = null, expiresAt } = asked
  const place = { sessionId, checkpointId, resumeToken }
  const decided = {
    ...{ tenantId, applicationId, reviewCaseId, ...place },
    ...{ caseVersion, presentationDigest, decision, response, decisionSignature },
  }
  // As it was sent.
  const presentation = JSON.parse(JSON.stringify(asked.presentation))
  const deadline = expiresAt === undefined ? expiresAt : Date.parse(expiresAt)
  const signed = withReviewer(outcomeOfCallback({ ...told, ...decided }), review)
  const member = faultOfMember(review, decisionSignature, told, asked)
  const fault = member
    ? ({ code: 'not_signed', detail: member } as const)
    : await check.faultOf(decided, { ...place, presentation }, { receivedAt, deadline })
  if (fault === null) return signed
  const { code, detail } = fault
  const words = `case ${reviewCaseId} is ${decision}`
  const what = code === 'not_signed' ? `no pinned key signed that ${words}: ` : `${words}, `
  throw new ApiError(`decision_${code}`, what + detail)
}

/**
 * Why a signature is not of who may have decided: the case tells another decision than its outcome, or another member
 * than signed it, or it was signed by the one for whom it was asked. Null where it may be.
 */
function faultOfMember(
  { decision, decidedBy }: CaseAnswer,
  signature: { readonly statement?: { readonly memberId?: unknown } | null } | null,
  told: Pick<ReviewOutcome, 'decision'>,
  { requestedBy }: Pick<OpenInput, 'requestedBy'>,
): string | null {
  const signer = signature?.statement?.memberId
  if (decision !== told.decision || (signer !== undefined && signer !== decidedBy))
    return 'the case tells another decision or member'
  return requestedBy && signer === requestedBy ? 'the requester signed it' : null
}
