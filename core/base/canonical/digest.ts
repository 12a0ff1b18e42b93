import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalize } from './canonicalize.ts'

const utf8 = new TextEncoder()

/** SHA-256 of bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/**
 * Lower-case hex SHA-256 of a value's canonical JSON, by the portable code unless another is given; throws as
 * `canonicalize` does.
 */
export function digestOf(value: unknown, hash: Sha256 = sha256): string {
  return bytesToHex(hash(utf8.encode(canonicalize(value))))
}
