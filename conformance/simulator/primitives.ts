import { createHash, createHmac } from 'node:crypto'
import type { Primitives } from '@countersign/core/signing'

const utf8 = new TextEncoder()

/**
 * Primitives that cost microseconds: real hashes, and in the place of Ed25519 a tag that anybody who knows the public
 * key could make. What is under test is which keys sign which bytes when, not the curve.
 */
export const quickPrimitives: Primitives = {
  sha256: (bytes) => Uint8Array.from(createHash('sha256').update(bytes).digest()),
  hmacSha256: (key) => {
    const own = Uint8Array.from(key)
    return (prefix, bytes, encoding) =>
      createHmac('sha256', own).update(prefix).update(bytes).digest(encoding)
  },
  ed25519PublicKey: publicKeyOf,
  ed25519Signer: (seed) => {
    const publicKey = publicKeyOf(seed)
    return (prefix, bytes) => tag(publicKey, prefix, bytes)
  },
  ed25519Verifier: (publicKey) => {
    const own = Uint8Array.from(publicKey)
    return (prefix, bytes, signature) => {
      const expected = tag(own, prefix, bytes)
      return (
        signature.length === expected.length &&
        signature.every((byte, index) => byte === expected[index])
      )
    }
  },
}

function publicKeyOf(seed: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha256').update('public').update(seed).digest())
}

/** 64 bytes, as an Ed25519 signature has. */
function tag(publicKey: Uint8Array, prefix: string, bytes: Uint8Array): Uint8Array {
  const mac = createHmac('sha512', publicKey).update(utf8.encode(prefix)).update(bytes)
  return Uint8Array.from(mac.digest())
}
