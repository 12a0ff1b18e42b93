import { sha256 } from '@noble/hashes/sha2.js'

/** The hash before the first entry of a chain. */
export const chainStart: Uint8Array = new Uint8Array(32)

/** The hash of an entry in its chain: SHA-256 of the previous hash and the entry. */
export function chainHash(previous: Uint8Array, entry: Uint8Array): Uint8Array {
  return sha256.create().update(previous).update(entry).digest()
}
