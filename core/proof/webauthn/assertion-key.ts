import { concatBytes } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { decodeBase64Url } from '../signing/encoding.ts'

/** The public key of an authenticator's credential, by its algorithm. */
export type AssertionKey =
  | {
      readonly algorithm: 'EdDSA'
      /** 32 bytes (RFC 8032 5.1.5). */
      readonly point: Uint8Array
    }
  | {
      readonly algorithm: 'ES256'
      /** Uncompressed, 65 bytes (SEC 1 2.3.3). */
      readonly point: Uint8Array
    }
  | {
      readonly algorithm: 'RS256'
      /** Big-endian, without zeros in front. */
      readonly modulus: Uint8Array
      readonly exponent: Uint8Array
    }

/** What an authenticator signed, with the key that verifies it. */
export interface SignedBytes {
  readonly key: AssertionKey
  readonly signed: Uint8Array
  /** As WebAuthn has it: DER for ES256. */
  readonly signature: Uint8Array
}

/** Bytes of an RSA modulus: 2048 to 8192 bits. */
const shortestModulus = 256
const longestModulus = 1_024

/**
 * Reads a credential's JWK (RFC 7517, 8037): Ed25519, P-256 or RSA from 2048 bits. Null for another key, and for one
 * whose `alg` is not that of its kind. That a point is on its curve is for the verification to find.
 */
export function readAssertionKey(jwk: unknown): AssertionKey | null {
  if (!isObject(jwk)) return null
  const key = keyOf(jwk)
  return key !== null && (jwk.alg === undefined || namesOf[key.algorithm].includes(jwk.alg))
    ? key
    : null
}

/** Values of `alg` for each algorithm; RFC 9864 names Ed25519 by itself. */
const namesOf: Readonly<Record<AssertionKey['algorithm'], readonly unknown[]>> = {
  EdDSA: ['EdDSA', 'Ed25519'],
  ES256: ['ES256'],
  RS256: ['RS256'],
}

function keyOf({ kty, crv, x, y, n, e }: Readonly<Record<string, unknown>>): AssertionKey | null {
  if (kty === 'OKP' && crv === 'Ed25519') {
    const point = bytesOf(x, 32)
    return point && { algorithm: 'EdDSA', point }
  }
  if (kty === 'EC' && crv === 'P-256') {
    const [left, right] = [bytesOf(x, 32), bytesOf(y, 32)]
    return (
      left && right && { algorithm: 'ES256', point: concatBytes(Uint8Array.of(4), left, right) }
    )
  }
  if (kty === 'RSA') {
    const [modulus, exponent] = [bytesOf(n), bytesOf(e)]
    return modulus && exponent && isStrong(modulus, exponent)
      ? { algorithm: 'RS256', modulus, exponent }
      : null
  }
  return null
}

function bytesOf(text: unknown, length?: number): Uint8Array | null {
  const bytes = typeof text === 'string' ? decodeBase64Url(text) : null
  return bytes && (length === undefined || bytes.length === length) ? bytes : null
}

/** With the exponent 1 a signature is the padded message itself, which anybody can make. */
function isStrong(modulus: Uint8Array, exponent: Uint8Array): boolean {
  const [first = 0] = modulus
  const isLong = modulus.length > shortestModulus || first >= 0x80
  const isRead = first > 0 && modulus.length >= shortestModulus && modulus.length <= longestModulus
  const [high = 0] = exponent
  const last = exponent.at(-1) ?? 0
  const isOdd = (last & 1) === 1 && exponent.length <= 4 && high > 0
  return isRead && isLong && isOdd && !(exponent.length === 1 && last === 1)
}
