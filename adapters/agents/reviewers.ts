import type { SignatureCheck } from '@countersign/client'
import { faultOfOutcome, requireOwnReviewers, verifyBySubtle } from '@countersign/core/webauthn'

/**
 * Pins the keys of reviewers in a program's file: JSON of `tenantId`, `applicationId`, `rpId`, `origins`, `keys`
 * and, where they are wanted, `refuseSynced` and `maxAgeMs`, as `pinReviewers` of `@countersign/receiver-kit/reviewers`
 * takes them. Throws a TypeError for other JSON: a check would be left out by a name that is misspelt.
 */
export function reviewersIn(text: string): SignatureCheck {
  const given: unknown = JSON.parse(text)
  requireOwnReviewers(given)
  const { tenantId, applicationId, ...reviewers } = given
  // A program of which nothing is ever approved was given another file.
  if (reviewers.keys.length === 0) throw new TypeError('expected reviewers.keys, got none')
  return {
    faultOf: (outcome, asked, times) =>
      faultOfOutcome(outcome, { ...asked, tenantId, applicationId }, times, reviewers, (bytes) =>
        verifyBySubtle(crypto.subtle, bytes),
      ),
  }
}
