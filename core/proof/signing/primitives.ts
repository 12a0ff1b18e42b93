/**
 * The cryptography that signing needs, synchronous and with keys prepared once. Two implementations accept exactly
 * the same signatures: `portablePrimitives` here and the native one of `@countersign/node/crypto`.
 *
 * What is signed is `prefix` (ASCII) followed by `bytes`, in two pieces so that nothing need be copied to join them.
 */
export interface Primitives {
  sha256(bytes: Uint8Array): Uint8Array
  hmacSha256(key: Uint8Array): Hmac
  /** The public key of a 32-byte seed (RFC 8032 5.1.5). */
  ed25519PublicKey(seed: Uint8Array): Uint8Array
  ed25519Signer(seed: Uint8Array): Ed25519Signer
  /** Throws a SigningKeyError for a public key that `checkPublicKey` refuses. */
  ed25519Verifier(publicKey: Uint8Array): Ed25519Verifier
}

/** How a MAC is written. */
export type MacEncoding = 'base64' | 'hex'

/** HMAC-SHA-256 as text, which is what a header carries and what native code makes faster than bytes. */
export type Hmac = (prefix: string, bytes: Uint8Array, encoding: MacEncoding) => string

/** The signature, 64 bytes (RFC 8032 5.1.6). */
export type Ed25519Signer = (prefix: string, bytes: Uint8Array) => Uint8Array

/** The same signature, made on another thread. */
export type Ed25519SignerAside = (prefix: string, bytes: Uint8Array) => Promise<Uint8Array>

/** A thread that signs, so that the service's own is free: Ed25519 costs as much as sending. */
export interface SigningThread {
  ed25519Signer(seed: Uint8Array): Ed25519SignerAside
}

/**
 * RFC 8032 5.1.7 without the cofactor, S below the group order and R compared as bytes; false, never an exception,
 * for any bytes that are no signature.
 */
export type Ed25519Verifier = (prefix: string, bytes: Uint8Array, signature: Uint8Array) => boolean
