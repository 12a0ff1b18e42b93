import { hash } from 'node:crypto'
import type { Primitives } from '@countersign/core/signing'

/**
 * Primitives that cost a microsecond: real hashes, one of key and message in the place of HMAC, and in the place of
 * Ed25519 a tag that anybody who knows the public key could make. What is under test is which keys sign which bytes
 * when, neither the MAC nor the curve.
 */
export const quickPrimitives: Primitives = {
  sha256: (bytes) => Uint8Array.from(hash('sha256', bytes, 'buffer')),
  hmacSha256: (key) => {
    const own = Buffer.from(key)
    return (prefix, bytes, encoding) => hash('sha256', message(own, prefix, bytes), encoding)
  },
  ed25519PublicKey: publicKeyOf,
  ed25519Signer: (seed) => {
    const publicKey = publicKeyOf(seed)
    return (prefix, bytes) => tag(publicKey, prefix, bytes)
  },
  ed25519Verifier: (publicKey) => {
    const own = Uint8Array.from(publicKey)
    return (prefix, bytes, signature) => tag(own, prefix, bytes).equals(signature)
  },
}

function message(key: Uint8Array, prefix: string, bytes: Uint8Array): Buffer {
  return Buffer.concat([key, Buffer.from(prefix), bytes])
}

function publicKeyOf(seed: Uint8Array): Uint8Array {
  return Uint8Array.from(hash('sha256', Buffer.concat([Buffer.from('public'), seed]), 'buffer'))
}

/** 64 bytes, as an Ed25519 signature has. */
function tag(publicKey: Uint8Array, prefix: string, bytes: Uint8Array): Buffer {
  return hash('sha512', message(publicKey, prefix, bytes), 'buffer')
}
