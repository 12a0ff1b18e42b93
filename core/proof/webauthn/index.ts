export type { DecisionSignature, DecisionStatement } from '../../base/events/decision-signature.ts'
export { type AssertionKey, readAssertionKey, type SignedBytes } from './assertion-key.ts'
export {
  type AssertionCheck,
  type AssertionGiven,
  type AssertionRefusal,
  assertionChecks,
  checkAssertion,
  checkSignedChallenge,
  type SignedChallenge,
  wrongSignature,
} from './check-assertion.ts'
export { type DecisionTimes, isAround, usualMaxAgeMs } from './decision-times.ts'
export { ecdsaSignature } from './ecdsa-signature.ts'
export {
  type RequestVerifier,
  requestVerifierOf,
  type SignatureVerifier,
  signatureVerifierOf,
} from './pin-reviewers.ts'
export { verifySignedBytes } from './portable-signatures.ts'
export { type Expectations, requireReviewers } from './require-reviewers.ts'
export {
  type AskedCase,
  type AskedDocument,
  faultOfOutcome,
  type ReviewerKey,
  type Reviewers,
  type ReviewersOfApplication,
  type SignatureFault,
  type SignedOutcome,
  type VerifyBytes,
} from './reviewers.ts'
export {
  askedDigest,
  challengeOf,
  type ExpectedStatement,
  faultOfStatement,
  resumeTokenDigest,
  saltedDigest,
  settingDigest,
  statementOf,
  statementText,
} from './statement.ts'
export { type Subtle, verifyBySubtle } from './subtle-signatures.ts'
export { verifyAssertion, verifySignedChallenge } from './verify-assertion.ts'
