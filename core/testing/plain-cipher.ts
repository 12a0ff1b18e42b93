import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { Cipher } from '../base/ports/cipher.ts'

const tagBytes = 16
const blockBytes = 32

/**
 * A stream cipher of hashes with a tag: hides the plain bytes, and refuses another key, nonce, additional data or a
 * changed byte. For tests alone.
 */
export function plainCipher(): Cipher {
  return {
    encrypt({ key, nonce, plain, additional, room = 0 }) {
      check(key, nonce)
      const hidden = hide(plain, key, nonce)
      return concatBytes(new Uint8Array(room), hidden, tagOf(hidden, key, nonce, additional))
    },
    decrypt({ key, nonce, sealed, additional }) {
      check(key, nonce)
      if (sealed.length < tagBytes) return null
      const hidden = sealed.subarray(0, -tagBytes)
      const tag = tagOf(hidden, key, nonce, additional)
      return tag.every((byte, at) => byte === sealed[hidden.length + at])
        ? hide(hidden, key, nonce)
        : null
    },
  }
}

function check(key: Uint8Array, nonce: Uint8Array): void {
  if (key.length !== 32 || nonce.length !== 12)
    throw new TypeError(
      `expected a key of 32 bytes and a nonce of 12, got ${key.length} and ${nonce.length}`,
    )
}

function hide(bytes: Uint8Array, key: Uint8Array, nonce: Uint8Array): Uint8Array {
  // `slice` of a Buffer is no copy.
  const out = new Uint8Array(bytes)
  for (let at = 0; at < out.length; at += blockBytes) {
    const block = sha256(concatBytes(key, nonce, Uint8Array.of(...numberBytes(at))))
    for (let i = 0; i < blockBytes && at + i < out.length; i++)
      out[at + i] = (out[at + i] ?? 0) ^ (block[i] ?? 0)
  }
  return out
}

function tagOf(hidden: Uint8Array, key: Uint8Array, nonce: Uint8Array, additional: Uint8Array) {
  const lengths = Uint8Array.of(...numberBytes(hidden.length), ...numberBytes(additional.length))
  return hmac(sha256, key, concatBytes(nonce, lengths, additional, hidden)).subarray(0, tagBytes)
}

function numberBytes(value: number): readonly number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255)
}
