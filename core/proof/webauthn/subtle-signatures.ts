import { base64Url } from '../signing/encoding.ts'
import type { AssertionKey, SignedBytes } from './assertion-key.ts'
import { ecdsaSignature } from './ecdsa-signature.ts'
import { verifyEd25519 } from './ed25519-signature.ts'

interface SubtleAlgorithm {
  readonly name: string
  readonly hash: string
  readonly namedCurve?: string
}

/** The two functions of a runtime's `crypto.subtle` (Web Cryptography) that are used. */
export interface Subtle<Key> {
  importKey(
    format: 'jwk',
    key: object,
    algorithm: SubtleAlgorithm,
    extractable: boolean,
    usages: 'verify'[],
  ): Promise<Key>
  verify(
    algorithm: SubtleAlgorithm,
    key: Key,
    signature: Uint8Array<ArrayBuffer>,
    signed: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>
}

/**
 * Verifies as `verifySignedBytes` does, ES256 and RS256 by the runtime: a bundle is smaller by a curve.
 */
export async function verifyBySubtle<Key>(
  subtle: Subtle<Key>,
  { key, signed, signature }: SignedBytes,
): Promise<boolean> {
  if (key.algorithm === 'EdDSA') return verifyEd25519(key.point, signed, signature)
  const bytes = key.algorithm === 'ES256' ? ecdsaSignature(signature) : Uint8Array.from(signature)
  if (bytes === null) return false
  const { jwk, algorithm } = imported(key)
  try {
    const known = await subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
    return await subtle.verify(algorithm, known, bytes, Uint8Array.from(signed))
  } catch {
    // A point that is not on its curve.
    return false
  }
}

function imported(key: Exclude<AssertionKey, { algorithm: 'EdDSA' }>) {
  const hash = 'SHA-256'
  if (key.algorithm === 'RS256') {
    const { modulus, exponent } = key
    const jwk = { kty: 'RSA', n: base64Url(modulus), e: base64Url(exponent) }
    return { jwk, algorithm: { name: 'RSASSA-PKCS1-v1_5', hash } }
  }
  const [x, y] = [key.point.subarray(1, 33), key.point.subarray(33)]
  const jwk = { kty: 'EC', crv: 'P-256', x: base64Url(x), y: base64Url(y) }
  return { jwk, algorithm: { name: 'ECDSA', hash, namedCurve: 'P-256' } }
}
