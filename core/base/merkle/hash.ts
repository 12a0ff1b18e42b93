import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { Sha256 } from '../canonical/digest.ts'

/** Bytes of a SHA-256 hash. */
export const hashLength = 32

/** Hash of a leaf: SHA-256 (`hash`, by the portable code unless given) of `0x00` and its bytes (RFC 9162 2.1.1). */
export function leafHash(entry: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  return hash(concatBytes(Uint8Array.of(0), entry))
}

/** The hash of a leaf whose bytes come in pieces. */
export function startLeafHash(): ReturnType<typeof sha256.create> {
  return sha256.create().update(Uint8Array.of(0))
}

/** Hash of an inner node: SHA-256 of `0x01` and its children's hashes (RFC 9162 2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256.create().update(Uint8Array.of(1)).update(left).update(right).digest()
}
