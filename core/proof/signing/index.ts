export { CountersignError } from '../../base/errors/countersign-error.ts'
export { decodeBase64, encodeBase64 } from './encoding.ts'
export { type HeaderSource, headerOnce } from './headers.ts'
export { SigningKeyError, type SigningKeyErrorCode } from './key-error.ts'
export {
  formatPrivateKey,
  formatPublicKey,
  formatSharedSecret,
  type ParsedKey,
  parseKey,
} from './key-text.ts'
export {
  keyPairOf,
  type LegacyKey,
  legacyKey,
  loadSigningKey,
  loadVerifyKey,
  type PrivateKey,
  type PublicKey,
  privateKey,
  publicKey,
  type SharedSecretKey,
  type SigningKey,
  sharedSecretKey,
  type VerifyKey,
} from './keys.ts'
export {
  type LegacyVerification,
  type LegacyVerificationCode,
  legacyHeaders,
  signLegacy,
  verifyLegacy,
} from './legacy-signature.ts'
export { portablePrimitives } from './portable.ts'
export type {
  Ed25519Signer,
  Ed25519SignerAside,
  Ed25519Verifier,
  Hmac,
  MacEncoding,
  Primitives,
  SigningThread,
} from './primitives.ts'
export { checkPublicKey } from './public-key.ts'
export { type SignInput, sign, signedHeaders, signedHeadersAside } from './sign.ts'
export { maxSignatures } from './signature-list.ts'
export {
  type Verification,
  type VerificationCode,
  type VerificationRefusal,
  type VerifyInput,
  verify,
} from './verify.ts'
