import {
  type AssertionGiven,
  type AssertionRefusal,
  type Checked,
  checkAssertion,
  checkSignedChallenge,
  type SignedChallenge,
  wrongSignature,
} from './check-assertion.ts'
import { verifySignedBytes } from './portable-signatures.ts'

/**
 * Verifies a reviewer's own signature of a decision: ok, or the first check that failed. Pure, for every runtime; the
 * sign count is for the service to check.
 */
export function verifyAssertion(given: AssertionGiven): { readonly ok: true } | AssertionRefusal {
  return verified(checkAssertion(given))
}

/** As `verifyAssertion`, of a challenge that is none of a decision. */
export function verifySignedChallenge(
  given: SignedChallenge,
): { readonly ok: true } | AssertionRefusal {
  return verified(checkSignedChallenge(given))
}

function verified(checked: Checked): { readonly ok: true } | AssertionRefusal {
  if (!checked.ok) return checked
  return verifySignedBytes(checked.left) ? { ok: true } : wrongSignature
}
