import type { EdwardsPoint } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { SigningKeyError } from './key-error.ts'
import { requirePublicKeyLength } from './key-length.ts'

/**
 * Throws unless the bytes are the one canonical encoding of a point of large order. Under a key of small order a
 * signature can be made that fits any message, and OpenSSL accepts it.
 */
export function checkPublicKey(publicKey: Uint8Array): void {
  decodePublicKey(publicKey)
}

export function decodePublicKey(publicKey: Uint8Array): EdwardsPoint {
  requirePublicKeyLength(publicKey)
  const point = canonicalPoint(publicKey)
  if (!point)
    throw new SigningKeyError(
      'invalid_public_key',
      'these 32 bytes are not the canonical encoding of an Ed25519 point',
    )
  if (point.isSmallOrder())
    throw new SigningKeyError(
      'weak_public_key',
      'this Ed25519 public key has small order: signatures under it prove nothing',
    )
  return point
}

function canonicalPoint(bytes: Uint8Array): EdwardsPoint | null {
  try {
    return ed25519.Point.fromBytes(bytes, false)
  } catch {
    return null
  }
}
