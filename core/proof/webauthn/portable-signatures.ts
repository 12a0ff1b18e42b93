import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { equalBytes } from '../signing/equal.ts'
import type { AssertionKey, SignedBytes } from './assertion-key.ts'
import { ecdsaSignature } from './ecdsa-signature.ts'
import { verifyEd25519 } from './ed25519-signature.ts'

/** Whether a signature is the key's; false, never an exception, for bytes and keys that are none. */
export function verifySignedBytes({ key, signed, signature }: SignedBytes): boolean {
  switch (key.algorithm) {
    case 'EdDSA':
      return verifyEd25519(key.point, signed, signature)
    case 'ES256': {
      const joined = ecdsaSignature(signature)
      return joined !== null && verifyP256(key.point, signed, joined)
    }
    case 'RS256':
      return verifyRsa(key, signed, signature)
  }
}

function verifyP256(point: Uint8Array, signed: Uint8Array, signature: Uint8Array): boolean {
  return p256.utils.isValidPublicKey(point, false)
    ? p256.verify(signature, signed, point, { lowS: false })
    : false
}

/** DigestInfo of SHA-256 before the digest (RFC 8017 9.2, note 1). */
const digestInfo = hexToBytes('3031300d060960864801650304020105000420')

/** RSASSA-PKCS1-v1_5 (RFC 8017 8.2.2): the one encoding of the digest is made and compared, and nothing is parsed. */
function verifyRsa(
  { modulus, exponent }: Extract<AssertionKey, { algorithm: 'RS256' }>,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  const n = numberOf(modulus)
  const s = numberOf(signature)
  if (signature.length !== modulus.length || s >= n) return false
  const tail = [...digestInfo, ...sha256(signed)]
  const padding = new Uint8Array(modulus.length - tail.length - 3).fill(0xff)
  const encoded = Uint8Array.of(0, 1, ...padding, 0, ...tail)
  const hex = power(s, numberOf(exponent), n).toString(16)
  return equalBytes(hexToBytes(hex.padStart(modulus.length * 2, '0')), encoded)
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${bytesToHex(bytes)}`)
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}
