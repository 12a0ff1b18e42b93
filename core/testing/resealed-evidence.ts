import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { leafHash } from '../base/merkle/hash.ts'
import { merkleTree } from '../base/merkle/tree.ts'
import type { EvidenceDocument } from '../evidence/model.ts'
import { type EvidenceSigner, signDocument } from '../proof/sign.ts'
import { canonicalBytes } from '../proof/signed-text.ts'
import { sampleAnchor } from './sample-seals.ts'

type Json = Record<string, unknown>
/** An evidence document as plain JSON that may be changed. */
export interface OpenEvidence {
  readonly session: Json
  readonly steps: Json[]
  readonly policyResults: Json[]
  readonly scores: Json[]
  readonly reviewCases: (Json & { readonly integrity: Json & { readonly leafInput: Json } })[]
  readonly integrity: Json & { readonly leafInput: Json | null; readonly anchor: Json }
}

/** A copy of a document to be changed. */
export function openEvidence(document: EvidenceDocument): OpenEvidence {
  return JSON.parse(JSON.stringify(document)) as OpenEvidence
}

/**
 * The document under new leaves, root, nonce and ledger entry, all signed by the issuer, as an issuer rewrites what it sealed.
 * `leafInput` of the session and of each case is what is sealed, null: the leaf that it has; throws where one has no
 * canonical form.
 */
export function resealedEvidence(forged: OpenEvidence, by: EvidenceSigner): object {
  const leaves = [forged, ...forged.reviewCases].map(({ integrity }) =>
    integrity.leafInput === null
      ? hexToBytes(String(integrity.leafHash))
      : leafHash(canonicalBytes(integrity.leafInput)),
  )
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
