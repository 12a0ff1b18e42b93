import {
  canonicalBytes,
  type EvidenceDocument,
  type EvidenceSigner,
  signDocument,
} from '@countersign/core/evidence'
import { leafHash, merkleTree } from '@countersign/core/internal'
import { sampleAnchor } from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'

type Json = Record<string, unknown>
/** A document of plain JSON that may be changed. */
export interface Open {
  readonly session: Json
  readonly steps: Json[]
  readonly policyResults: Json[]
  readonly scores: Json[]
  readonly reviewCases: (Json & { readonly integrity: Json & { readonly leafInput: Json } })[]
  readonly integrity: Json & { readonly leafInput: Json; readonly anchor: Json }
}

export function openOf(document: EvidenceDocument): Open {
  return JSON.parse(JSON.stringify(document)) as Open
}

/** The document under a new leaf, root, nonce and ledger entry, all signed by the issuer: nothing in it contradicts it. */
export function resealed(forged: Open, by: EvidenceSigner): object {
  const sealed = [forged, ...forged.reviewCases].map(({ integrity }) => integrity.leafInput)
  const leaves = sealed.map((input) => leafHash(canonicalBytes(input)))
  const tree = merkleTree(leaves)
  const merkleRoot = bytesToHex(tree.root)
  const { batchId } = forged.session.sealed as Json
  const sequence = Number(forged.integrity.anchor.sequence)
  const anchor = sampleAnchor(by, { root: merkleRoot, nonce: '05'.repeat(32), sequence })
  const place = (leafIndex: number) => ({
    leafHash: bytesToHex(leaves[leafIndex] ?? tree.root),
    merkle: {
      ...{ batchId, leafIndex, treeSize: tree.size, merkleRoot },
      inclusionPath: tree.pathOf(leafIndex).map(bytesToHex),
    },
    anchor,
  })
  const session = { ...forged.session, sealed: { batchId, leafIndex: 0 } }
  const integrity = { ...forged.integrity, ...place(0) }
  const reviewCases = forged.reviewCases.map((review, at) => {
    return { ...review, integrity: { ...review.integrity, ...place(at + 1) } }
  })
  return signDocument({ ...forged, session, reviewCases, integrity }, by)
}
