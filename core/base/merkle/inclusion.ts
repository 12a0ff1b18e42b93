import { hashLength, nodeHash } from './hash.ts'

/** The place of a leaf in a tree, and the siblings that lead from it to the root. */
export interface Inclusion {
  readonly leafHash: Uint8Array
  /** From 0. */
  readonly leafIndex: number
  readonly treeSize: number
  readonly inclusionPath: readonly Uint8Array[]
}

/**
 * The root that a path leads to (RFC 9162 2.1.3.2); null where index, size, the path's length or a hash's length
 * don't fit together, so that there is none.
 */
export function rootOfInclusion(inclusion: Inclusion): Uint8Array | null {
  const { leafHash, leafIndex, treeSize, inclusionPath } = inclusion
  if (!Number.isSafeInteger(leafIndex) || !Number.isSafeInteger(treeSize)) return null
  if (leafIndex < 0 || leafIndex >= treeSize) return null
  if ([leafHash, ...inclusionPath].some((hash) => hash.length !== hashLength)) return null
  let hash = leafHash
  let at = leafIndex
  let last = treeSize - 1
  for (const sibling of inclusionPath) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash)
      // An odd last node rises unchanged until it is a right child.
      while (at % 2 === 0 && at !== 0) {
        at /= 2
        last = Math.floor(last / 2)
      }
    } else hash = nodeHash(hash, sibling)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : null
}

/** Whether the leaf is in the tree with this root. Malformed input is not. */
export function verifyInclusion(inclusion: Inclusion, root: Uint8Array): boolean {
  const computed = rootOfInclusion(inclusion)
  return (
    computed !== null && root.length === hashLength && computed.every((b, at) => b === root[at])
  )
}
