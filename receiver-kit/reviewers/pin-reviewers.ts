import {
  type RequestVerifier,
  type ReviewersOfApplication,
  requestVerifierOf,
  type VerifyBytes,
  verifyBySubtle,
} from '@countersign/core/webauthn'

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
  return requestVerifierOf(given, verifyBytes)
}

/** By the runtime's own cryptography, where portable code has none. */
export const verifyBytes: VerifyBytes = (bytes) => verifyBySubtle(crypto.subtle, bytes)
