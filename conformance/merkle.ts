import { createHash } from 'node:crypto'

// Merkle trees of RFC 9162 over hex hashes, written apart from the core's so that both must agree.

const leafPrefix = Buffer.of(0)
const nodePrefix = Buffer.of(1)

/** Hex SHA-256 of texts and bytes, one behind another. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** The leaf of a text. */
export function leafOf(text: string): string {
  return sha256(leafPrefix, text)
}

function nodeOf(left: string, right: string): string {
  return sha256(nodePrefix, Buffer.from(left, 'hex'), Buffer.from(right, 'hex'))
}

/** The root over leaves in their order (RFC 9162 2.1.1). */
export function rootOf(leaves: readonly string[]): string {
  const [only] = leaves
  if (only === undefined) return sha256()
  if (leaves.length === 1) return only
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}

/** The root that a leaf and its path lead to (RFC 9162 2.1.3.2); null for a path of the wrong length. */
export function rootByPath(
  leaf: string,
  index: number,
  size: number,
  path: readonly string[],
): string | null {
  let [at, last, hash] = [index, size - 1, leaf]
  for (const other of path) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      hash = nodeOf(other, hash)
      while (at !== 0 && at % 2 === 0) {
        at >>= 1
        last >>= 1
      }
    } else hash = nodeOf(hash, other)
    at >>= 1
    last >>= 1
  }
  return last === 0 ? hash : null
}
