import {
  type Anchor,
  anchors,
  type Batch,
  batches,
  type CaseSeal,
  caseSeals,
} from '../../content/seal-records.ts'
import { type AnchorView, type PlaceView, shownInclusion } from '../../content/view.ts'
import { object } from '../../kernel/members.ts'
import { reading } from '../../kernel/operation.ts'
import type { OutsOf } from '../../kernel/shape.ts'
import { type CaseRecord, caseRecordOf, caseRecordShape } from '../../review/case-record.ts'
import { caseIn, caseReads } from '../../review/execution/find-case.ts'
import type { ReviewCase } from '../../review/records.ts'
import { caseMembers } from '../../review/shapes.ts'
import { anchorView, placeView } from '../present.ts'

const { reviewCaseId, applicationId, sessionId } = caseMembers

const proof = {
  reviewCaseId,
  sessionId,
  applicationId,
  ...shownInclusion,
  /** The value whose canonical JSON is the leaf. */
  leafInput: caseRecordShape,
}
/** Proof that the record of a closed case lies under a Merkle root (RFC 9162). */
export interface CaseProofView extends OutsOf<typeof proof> {}

/** The proof that what became of a case lies in a sealed batch. */
export const proveCase = reading({
  name: 'reviewCases.proof',
  doc: 'Prove that a closed case is sealed under a Merkle root',
  by: ['member', 'application'],
  right: 'readCases',
  takes: { reviewCaseId },
  gives: object(proof, 'CaseProof'),
  refuses: ['not_found', 'not_sealed'],
  async run(lookup, { reviewCaseId }) {
    const found = await caseIn(lookup, await lookup.read(caseReads(lookup.by, reviewCaseId)))
    if (!found) return lookup.refuse('not_found', 'no such review case')
    const { row } = found.was
    const { seal } = await lookup.ask({ seal: caseSeals.get(reviewCaseId) })
    const { batch } =
      seal && seal.row.batchId !== null
        ? await lookup.ask({
            batch: batches.get(row.tenantId, row.applicationId, seal.row.batchId),
          })
        : { batch: null }
    const sequence = batch?.row.anchorSequence ?? null
    const { anchor } =
      sequence === null
        ? { anchor: null }
        : await lookup.ask({ anchor: anchors.get(row.tenantId, sequence) })
    const sealed = sealedCaseOf(row, seal?.row ?? null, {
      batch: batch?.row ?? null,
      anchor: anchor?.row ?? null,
    })
    if (!sealed) return lookup.refuse('not_sealed', 'the case is not sealed yet')
    const { leafInput, leafHash, merkle, anchor: anchored } = sealed
    const { sessionId, applicationId } = row
    return {
      reviewCaseId,
      sessionId,
      applicationId,
      hashAlgorithm: 'rfc9162-sha256' as const,
      leafHash,
      ...merkle,
      anchor: anchored,
      leafInput,
    }
  },
})

/** A case's seal with all that is needed to check it. */
export interface SealedCase {
  readonly leafInput: CaseRecord
  readonly leafHash: string
  readonly merkle: PlaceView
  readonly anchor: AnchorView
}

/** The seal of a case; null while it is open or waits for its batch, also where it was sealed in another session. */
export function sealedCaseOf(
  review: ReviewCase,
  seal: CaseSeal | null,
  { batch, anchor }: { readonly batch: Batch | null; readonly anchor: Anchor | null },
): SealedCase | null {
  const leafInput = caseRecordOf(review)
  if (!leafInput || !seal || !batch || seal.leafIndex === null) return null
  if (seal.sessionId !== review.sessionId) return null
  return {
    leafInput,
    leafHash: seal.leafHash,
    merkle: placeView(batch, seal.leafIndex),
    anchor: anchorView(batch, anchor),
  }
}
