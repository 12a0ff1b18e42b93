export {
  type AssertionDamage,
  assertionDamages,
  type DamagedAssertion,
  type SignedCase,
} from './damages.ts'
export {
  type Assertion,
  type AssertionParts,
  type AuthenticatorAlgorithm,
  type AuthenticatorOptions,
  authenticatorFlags,
  coseAlgorithms,
  createSoftwareAuthenticator,
  freshPrivateKey,
  type PackedStatement,
  type RegistrationAnswer,
  type RegistrationParts,
  type SoftwareAuthenticator,
} from './software-authenticator.ts'
