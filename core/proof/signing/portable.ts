import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { encodeBase64 } from './encoding.ts'
import { equalBytes } from './equal.ts'
import type { Ed25519Signer, Ed25519Verifier, Hmac, Primitives } from './primitives.ts'
import { decodePublicKey } from './public-key.ts'

const { Point } = ed25519
const order: bigint = Point.Fn.ORDER

/** The primitives in plain JavaScript, for every runtime. */
export const portablePrimitives: Primitives = {
  sha256: (bytes) => sha256(bytes),
  hmacSha256,
  ed25519PublicKey: (seed) => ed25519.getPublicKey(seed),
  ed25519Signer,
  ed25519Verifier,
}

function hmacSha256(key: Uint8Array): Hmac {
  const keyed = hmac.create(sha256, key)
  return (prefix, bytes, encoding) => {
    const mac = keyed.clone().update(utf8ToBytes(prefix)).update(bytes).digest()
    return encoding === 'hex' ? bytesToHex(mac) : encodeBase64(mac)
  }
}

function ed25519Signer(seed: Uint8Array): Ed25519Signer {
  const own = Uint8Array.from(seed)
  return (prefix, bytes) => ed25519.sign(concatBytes(utf8ToBytes(prefix), bytes), own)
}

/**
 * Noble's own verify multiplies by the cofactor, so that it accepts what OpenSSL refuses when a signer plays with
 * points of mixed order. This is the equation of OpenSSL, on noble's points: encode([S]B - [k]A) is R.
 */
function ed25519Verifier(publicKey: Uint8Array): Ed25519Verifier {
  const encoded = Uint8Array.from(publicKey)
  const minusA = decodePublicKey(encoded).negate()
  return (prefix, bytes, signature) => {
    if (signature.length !== 64) return false
    const r = signature.subarray(0, 32)
    const s = bytesToNumberLE(signature.subarray(32))
    // RFC 8032 5.1.7: without this bound S + L would be a second signature of the same message.
    if (s >= order) return false
    const challenge = sha512.create().update(r).update(encoded).update(utf8ToBytes(prefix))
    const k = bytesToNumberLE(challenge.update(bytes).digest()) % order
    return equalBytes(Point.BASE.multiplyUnsafe(s).add(minusA.multiplyUnsafe(k)).toBytes(), r)
  }
}
