import {
  type AskedCase,
  type DecisionTimes,
  faultOfOutcome,
  type Reviewers,
  type ReviewersOfApplication,
  requireOwnReviewers,
  type SignatureFault,
  type SignedOutcome,
  usualMaxAgeMs,
  verifyBySubtle,
} from '@countersign/core/webauthn'

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

/**
 * Pins keys of reviewers, for `reviewCases.request` of `@countersign/client`. The outcome's own members and what was asked
 * are compared with its statement, the time of the signature with that of the outcome. Throws a
 * TypeError for options that are missing, wrong or unknown.
 *
 * @example
 * ```ts
 * import { createClient } from '@countersign/client'
 * import { pinReviewers, type ReviewerKey } from '@countersign/receiver-kit/reviewers'
 *
 * const countersign = createClient({ ingestUrl: 'https://ingest.example.com', apiKey: 'svc_app_…' })
 * const reviewers = pinReviewers({
 *   tenantId: 'ten_01m3xq8v7c0h2k4n6p8r0t2w4y',
 *   applicationId: 'app_01m3xq8v7c0h2k4n6p8r0t2w4y',
 *   rpId: 'portal.example.com',
 *   origins: ['https://portal.example.com'],
 *   keys: pinned,
 * })
 * const { approved } = await countersign.reviewCases.request(
 *   {
 *     sessionId: 'run-4711',
 *     checkpointId: 'before-payment',
 *     reasonCategory: 'high_risk_action',
 *     presentation: { action: 'pay', amount: '1200 EUR', to: 'ACME GmbH' },
 *   },
 *   { reviewers },
 * )
 * if (approved) console.log('paid')
 *
 * declare const pinned: readonly ReviewerKey[]
 * ```
 */
export function pinReviewers(given: ReviewersOfApplication): RequestVerifier {
  requireOwnReviewers(given)
  const { tenantId, applicationId } = given
  const { faultOf } = verifierOf(given)
  return {
    faultOf: (outcome, asked, times) => {
      const { sessionId, checkpointId, resumeToken, presentation, requestedBy } = asked
      const place = { tenantId, applicationId, sessionId, checkpointId, resumeToken }
      return faultOf(outcome, { ...place, presentation, requestedBy }, times)
    },
  }
}

/** As `pinReviewers`, of options that were looked at. */
export function verifierOf(given: Reviewers): SignatureVerifier {
  const reviewers = copyReviewers(given)
  return {
    faultOf: (outcome, asked, times) =>
      faultOfOutcome(outcome, asked, times, reviewers, (bytes) =>
        verifyBySubtle(crypto.subtle, bytes),
      ),
  }
}

/** One by one: a spread would leave out a check that a class has by a getter or inherits. */
function copyReviewers(given: Reviewers): Reviewers {
  const { rpId, origins, keys, refuseSynced = false, maxAgeMs = usualMaxAgeMs } = given
  const bound = typeof keys === 'function' ? keys.bind(given) : keys
  return { rpId, origins, keys: bound, refuseSynced, maxAgeMs }
}
