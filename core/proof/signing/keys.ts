import { utf8ToBytes } from '@noble/hashes/utils.js'
import { equalBytes } from './equal.ts'
import { SigningKeyError } from './key-error.ts'
import { requireSecretLength, requireSeedLength } from './key-length.ts'
import { formatPrivateKey, formatPublicKey, parseKey } from './key-text.ts'
import type {
  Ed25519Signer,
  Ed25519SignerAside,
  Ed25519Verifier,
  Hmac,
  Primitives,
  SigningThread,
} from './primitives.ts'

/** Signs and verifies `v1`. */
export interface SharedSecretKey {
  readonly scheme: 'v1'
  readonly mac: Hmac
}

/** Signs `v1a`. */
export interface PrivateKey {
  readonly scheme: 'v1a'
  readonly sign: Ed25519Signer
  /** Where another thread signs with it too. */
  readonly signAside?: Ed25519SignerAside
  readonly publicKey: Uint8Array
}

/** Verifies `v1a`. */
export interface PublicKey {
  readonly scheme: 'v1a'
  readonly verify: Ed25519Verifier
}

/** Signs and verifies `X-Service-Signature`. */
export interface LegacyKey {
  readonly scheme: 'sha256'
  readonly mac: Hmac
}

/** A key prepared to sign in the Standard Webhooks profile. */
export type SigningKey = SharedSecretKey | PrivateKey
/** A key prepared to verify in the Standard Webhooks profile. */
export type VerifyKey = SharedSecretKey | PublicKey

/** Prepares a key to sign with, `whsec_…` or `whsk_…`; throws a SigningKeyError. */
export function loadSigningKey(text: string, primitives: Primitives): SigningKey {
  const parsed = parseKey(text)
  switch (parsed.kind) {
    case 'shared_secret':
      return sharedSecretKey(parsed.secret, primitives)
    case 'private_key': {
      const key = privateKey(parsed.seed, primitives)
      if (parsed.publicKey && !equalBytes(parsed.publicKey, key.publicKey))
        throw new SigningKeyError(
          'halves_differ',
          'the public half of this whsk_ key does not belong to its seed: the text was put together from two keys, or is damaged',
        )
      return key
    }
    case 'public_key':
      throw new SigningKeyError(
        'wrong_kind',
        'a whpk_ key only verifies: sign with the whsk_ key that it belongs to',
      )
  }
}

/** Prepares a key to verify with, `whsec_…` or `whpk_…`; throws a SigningKeyError. */
export function loadVerifyKey(text: string, primitives: Primitives): VerifyKey {
  const parsed = parseKey(text)
  switch (parsed.kind) {
    case 'shared_secret':
      return sharedSecretKey(parsed.secret, primitives)
    case 'public_key':
      return publicKey(parsed.publicKey, primitives)
    case 'private_key':
      throw new SigningKeyError(
        'wrong_kind',
        'a whsk_ key is the private key of the sender: verify with the whpk_ key that belongs to it',
      )
  }
}

/** A shared secret of 24 to 64 bytes, prepared to sign and to verify. */
export function sharedSecretKey(secret: Uint8Array, primitives: Primitives): SharedSecretKey {
  requireSecretLength(secret)
  return { scheme: 'v1', mac: primitives.hmacSha256(secret) }
}

/** An Ed25519 key from its 32-byte seed, prepared to sign. */
export function privateKey(
  seed: Uint8Array,
  primitives: Primitives,
  thread?: SigningThread,
): PrivateKey {
  requireSeedLength(seed)
  return {
    scheme: 'v1a',
    sign: primitives.ed25519Signer(seed),
    ...(thread && { signAside: thread.ed25519Signer(seed) }),
    publicKey: primitives.ed25519PublicKey(seed),
  }
}

/** An Ed25519 public key of 32 bytes, prepared to verify; throws a SigningKeyError for a weak one. */
export function publicKey(bytes: Uint8Array, primitives: Primitives): PublicKey {
  return { scheme: 'v1a', verify: primitives.ed25519Verifier(bytes) }
}

/** The key of the legacy family is the secret as it was given, in UTF-8. */
export function legacyKey(secret: string, primitives: Primitives): LegacyKey {
  if (typeof secret !== 'string' || secret === '')
    throw new SigningKeyError(
      'invalid_secret',
      `expected the secret as text that is not empty, got ${secret === '' ? 'an empty text' : typeof secret}`,
    )
  // An encoder puts U+FFFD for each, so that different secrets would make the same key.
  if (/\p{Surrogate}/u.test(secret))
    throw new SigningKeyError('invalid_secret', 'the secret holds a lone surrogate')
  return { scheme: 'sha256', mac: primitives.hmacSha256(utf8ToBytes(secret)) }
}

/** The texts of the key pair that a random 32-byte seed makes. */
export function keyPairOf(
  seed: Uint8Array,
  primitives: Primitives,
): { readonly privateKey: string; readonly publicKey: string } {
  requireSeedLength(seed)
  const bytes = primitives.ed25519PublicKey(seed)
  return { privateKey: formatPrivateKey(seed, bytes), publicKey: formatPublicKey(bytes) }
}
