import {
  type AssertionGiven,
  type AssertionRefusal,
  checkAssertion,
  wrongSignature,
} from './check-assertion.ts'
import { verifySignedBytes } from './portable-signatures.ts'

/**
 * Verifies a reviewer's own signature of a decision: ok, or the first check that failed. Pure, for every runtime; the
 * sign count is for the service to check.
 */
export function verifyAssertion(given: AssertionGiven): { readonly ok: true } | AssertionRefusal {
  const checked = checkAssertion(given)
  if (!checked.ok) return checked
  return verifySignedBytes(checked.left) ? { ok: true } : wrongSignature
}
