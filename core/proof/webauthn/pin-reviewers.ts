import { type DecisionTimes, usualMaxAgeMs } from './decision-times.ts'
import { requireOwnReviewers } from './require-reviewers.ts'
import {
  type AskedCase,
  faultOfOutcome,
  type Reviewers,
  type ReviewersOfApplication,
  type SignatureFault,
  type SignedOutcome,
  type VerifyBytes,
} from './reviewers.ts'

/** Verifies reviewers' own signatures by pinned keys. */
export interface SignatureVerifier {
  /** Why the outcome is not signed by a pinned key for what was asked, in its time; null where it is. A rejection has no time. */
  faultOf(
    outcome: SignedOutcome,
    asked: AskedCase | null,
    times: DecisionTimes,
  ): Promise<SignatureFault | null>
}

/** Verifies signatures of what an application requests. */
export interface RequestVerifier {
  /** As that of `SignatureVerifier`, of what was requested for the pinned application. */
  faultOf(
    outcome: SignedOutcome,
    asked: Omit<AskedCase, 'tenantId' | 'applicationId'>,
    times: DecisionTimes,
  ): Promise<SignatureFault | null>
}

/** Of an application's own requests. Throws a TypeError for options that are missing, wrong or unknown. */
export function requestVerifierOf(
  given: ReviewersOfApplication,
  verify: VerifyBytes,
): RequestVerifier {
  requireOwnReviewers(given)
  const { tenantId, applicationId } = given
  const { faultOf } = signatureVerifierOf(given, verify)
  return {
    faultOf: (outcome, asked, times) => {
      const { sessionId, checkpointId, resumeToken, presentation, requestedBy } = asked
      const place = { tenantId, applicationId, sessionId, checkpointId, resumeToken }
      return faultOf(outcome, { ...place, presentation, requestedBy }, times)
    },
  }
}

/** By options that were looked at. */
export function signatureVerifierOf(given: Reviewers, verify: VerifyBytes): SignatureVerifier {
  const reviewers = copyReviewers(given)
  return {
    faultOf: (outcome, asked, times) => faultOfOutcome(outcome, asked, times, reviewers, verify),
  }
}

/** One by one: a spread would leave out a check that a class has by a getter or inherits. */
function copyReviewers(given: Reviewers): Reviewers {
  const { rpId, origins, keys, refuseSynced = false, maxAgeMs = usualMaxAgeMs } = given
  const bound = typeof keys === 'function' ? keys.bind(given) : keys
  return { rpId, origins, keys: bound, refuseSynced, maxAgeMs }
}
