import { sha256 } from '@noble/hashes/sha2.js'

/** What the first entry of a chain follows. */
export const chainStart: Uint8Array = new Uint8Array(32)

/** The hash that an entry leaves for the next: SHA-256 of the hash before it and of the entry. */
export function chainHash(previous: Uint8Array, entry: Uint8Array): Uint8Array {
  return sha256.create().update(previous).update(entry).digest()
}
