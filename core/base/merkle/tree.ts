import { sha256 } from '@noble/hashes/sha2.js'
import { hashLength, nodeHash } from './hash.ts'

/** A Merkle tree over leaves in the order given (RFC 9162 2.1). */
export interface MerkleTree {
  readonly size: number
  /** Of an empty tree, the hash of no bytes. */
  readonly root: Uint8Array
  /** Siblings from the leaf up to the root (RFC 9162 2.1.3.1). Throws a RangeError for an index outside the tree. */
  pathOf(leafIndex: number): readonly Uint8Array[]
}

/** Builds the tree of these leaf hashes, each made by `leafHash`. Throws a RangeError for a hash that is not 32 bytes. */
export function merkleTree(leafHashes: readonly Uint8Array[]): MerkleTree {
  for (const hash of leafHashes)
    if (hash.length !== hashLength)
      throw new RangeError(`expected leaf hashes of ${hashLength} bytes, got one of ${hash.length}`)
  const levels = levelsOf(leafHashes)
  return {
    size: leafHashes.length,
    root: levels.at(-1)?.[0] ?? sha256(new Uint8Array()),
    pathOf: (leafIndex) => pathIn(levels, leafIndex, leafHashes.length),
  }
}

/** Pairs from the left, where an odd last node rises unchanged: the same tree as splitting at the largest power of two. */
function levelsOf(leafHashes: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const levels = [leafHashes]
  for (let level = leafHashes; level.length > 1; levels.push(level)) {
    const below = level
    const above: Uint8Array[] = []
    for (let at = 0; at < below.length; at += 2) {
      const left = below[at] as Uint8Array
      const right = below[at + 1]
      above.push(right === undefined ? left : nodeHash(left, right))
    }
    level = above
  }
  return levels
}

function pathIn(
  levels: readonly (readonly Uint8Array[])[],
  leafIndex: number,
  size: number,
): readonly Uint8Array[] {
  if (!Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= size)
    throw new RangeError(`expected the index of one of ${size} leaves, got ${leafIndex}`)
  const path: Uint8Array[] = []
  let at = leafIndex
  for (const level of levels) {
    const sibling = level[at % 2 === 0 ? at + 1 : at - 1]
    if (sibling !== undefined) path.push(sibling)
    at = Math.floor(at / 2)
  }
  return path
}
