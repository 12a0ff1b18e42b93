import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalize } from './canonicalize.ts'

const utf8 = new TextEncoder()

/** Lower-case hex SHA-256 of a value's canonical JSON; throws as `canonicalize` does. */
export function digestOf(value: unknown): string {
  return bytesToHex(sha256(utf8.encode(canonicalize(value))))
}
