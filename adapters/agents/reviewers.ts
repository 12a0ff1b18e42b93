import type { SignatureCheck } from '@countersign/client'
import {
  type ReviewersOfApplication,
  requestVerifierOf,
  verifyBySubtle,
} from '@countersign/core/webauthn'

/**
 * Pins the keys of reviewers in a program's file: JSON of `tenantId`, `applicationId`, `rpId`, `origins`, `keys`
 * and, where they are wanted, `refuseSynced` and `maxAgeMs`, as `pinReviewers` of `@countersign/receiver-kit/reviewers`
 * takes them. Throws a TypeError for other JSON: a check would be left out by a name that is misspelt.
 */
export function reviewersIn(text: string): SignatureCheck {
  const given: ReviewersOfApplication = JSON.parse(text)
  const verifier = requestVerifierOf(given, (bytes) => verifyBySubtle(crypto.subtle, bytes))
  // A program of which nothing is ever approved was given another file.
  if (given.keys.length === 0) throw new TypeError('expected reviewers.keys, got none')
  return verifier
}
