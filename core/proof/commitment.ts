import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalBytes } from './signed-text.ts'

/** ASCII text before root and nonce in what a commitment hashes. */
export const commitmentTag = 'countersign-anchor-v1'

const utf8 = new TextEncoder()

/** Hex SHA-256 of tag, Merkle root (32 bytes) and nonce (32 bytes): what is anchored in place of the root. */
export function commitmentOf(root: Uint8Array, nonce: Uint8Array): string {
  const hash = sha256.create().update(utf8.encode(commitmentTag)).update(root).update(nonce)
  return bytesToHex(hash.digest())
}

/** Hex SHA-256 of an anchor entry's canonical JSON, signature included: what the next entry names as `previousHash`. */
export function anchorHashOf(entry: object): string {
  return bytesToHex(sha256(canonicalBytes(entry)))
}

/** `previousHash` of a ledger's first entry. */
export const firstPreviousHash: string = '0'.repeat(64)

/** The digest of one field of content: hex SHA-256 of the canonical JSON of `[nonce, content]`, and its UTF-8 length. */
export function payloadDigestOf(
  nonce: string,
  content: unknown,
): { readonly digest: string; readonly bytes: number } {
  const text = canonicalBytes([nonce, content])
  return { digest: bytesToHex(sha256(text)), bytes: text.length }
}
