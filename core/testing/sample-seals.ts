import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { leafHash } from '../base/merkle/hash.ts'
import { merkleTree } from '../base/merkle/tree.ts'
import type { AnchorView } from '../content/view.ts'
import type { CaseIntegrity, EvidenceIntegrity } from '../evidence/model.ts'
import { anchorHashOf, commitmentOf, firstPreviousHash } from '../proof/commitment.ts'
import { type EvidenceSigner, signAnchor } from '../proof/sign.ts'
import { canonicalBytes } from '../proof/signed-text.ts'
import type { CaseRecord } from '../review/case-record.ts'
import { iso, type SampleCase, sampleBatch, sampleTimes } from './sample-session.ts'
import type { SeededRandom } from './seeded-random.ts'

/** The record of a sample's case. */
export function sampleRecord(review: SampleCase): CaseRecord {
  const { tenantId, applicationId, sessionId, reviewCaseId, caseVersion } = review
  const { decision, reasonCategory, presentationDigest, commentDigest, responseDigest } = review
  return {
    leafType: 'review-case',
    recordVersion: '1.0',
    tenantId,
    applicationId,
    sessionId,
    checkpointId: review.checkpoint.checkpointId,
    reviewCaseId,
    caseVersion,
    state: 'decided',
    decision,
    reasonCategory,
    presentationDigest,
    commentDigest,
    responseDigest,
    decidedBy: review.decidedBy,
    openedAt: review.createdAt,
    closedAt: review.closedAt ?? review.updatedAt,
    decisionSignature: review.decisionSignature,
  }
}

/** What a sample's batch seals. */
export interface SampleSealing {
  /** Of the sample: each has a batch and a ledger entry of its own. */
  readonly seed: number
  readonly leaf: 'record' | 'submitted' | null
  readonly erased: boolean
  readonly signer: EvidenceSigner
  readonly record: () => object
  readonly submitted: () => object
  readonly cases: readonly CaseRecord[]
  /** Ms. */
  readonly anchoredAt: number
}

/** The seals of a session and its cases, all in one batch. */
export function sampleSeals(
  random: SeededRandom,
  { seed, leaf, erased, signer, record, submitted, cases, anchoredAt }: SampleSealing,
): { readonly session: EvidenceIntegrity; readonly cases: readonly CaseIntegrity[] } {
  const fixed = {
    canonicalization: 'RFC8785',
    hashAlgorithm: 'rfc9162-sha256',
    revision: 1,
    earlier: [],
  } as const
  const input = leaf === null ? null : leaf === 'record' ? record() : submitted()
  const gone = leaf === 'submitted' && erased
  const leaves = [
    leafHash(random.bytes(8)),
    leafHash(random.bytes(8)),
    leafHash(input === null ? random.bytes(8) : canonicalBytes(input)),
    leafHash(random.bytes(8)),
    leafHash(random.bytes(8)),
    ...cases.map((each) => leafHash(canonicalBytes(each))),
  ]
  const tree = merkleTree(leaves)
  const root = bytesToHex(tree.root)
  // The cases of a session that waits are in a batch before its own.
  const batchId = input === null ? `bat_${seed}_cases` : sampleBatch(seed)
  // Room before it: entries of two samples do not follow one another.
  const sequence = 2 * seed
  const nonce = bytesToHex(random.bytes(32))
  const anchor = sampleAnchor(signer, { root, nonce, sequence, anchoredAt })
  const placed = (leafIndex: number) => ({
    leafHash: bytesToHex(leaves[leafIndex] ?? tree.root),
    merkle: {
      batchId,
      leafIndex,
      treeSize: tree.size,
      inclusionPath: tree.pathOf(leafIndex).map(bytesToHex),
      merkleRoot: root,
    },
    anchor,
  })
  const none = { leafHash: null, merkle: null, anchor: null, leafInput: null, leafSource: null }
  return {
    session:
      input === null
        ? { ...fixed, ...none, leafInputStatus: 'not_sealed' }
        : {
            ...fixed,
            leafSource: leaf,
            leafInput: gone ? null : input,
            leafInputStatus: gone ? 'erased' : 'present',
            ...placed(2),
          },
    cases: cases.map((leafInput, at) => {
      return { leafInput, leafInputStatus: 'present', ...placed(5 + at) }
    }),
  }
}

/** A recorded anchor of a root; hex. */
export function sampleAnchor(
  signer: EvidenceSigner,
  {
    root,
    nonce,
    sequence = 1,
    previousHash = firstPreviousHash,
    anchoredAt = sampleTimes({}).anchoredAt,
  }: {
    readonly root: string
    readonly nonce: string
    readonly sequence?: number
    readonly previousHash?: string
    readonly anchoredAt?: number
  },
): AnchorView {
  const entry = signAnchor(
    {
      anchorVersion: '1.0' as const,
      ledger: 'local',
      sequence,
      commitment: commitmentOf(hexToBytes(root), hexToBytes(nonce)),
      previousHash,
      anchoredAt: iso(anchoredAt + sequence * 1_000),
    },
    signer,
  )
  return { ...entry, entryHash: anchorHashOf(entry), nonce, status: 'recorded', timeStamp: null }
}
