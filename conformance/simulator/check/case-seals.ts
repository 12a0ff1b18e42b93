import { type Batch, type CaseSeal, type ReviewCase, reviewCases } from '@countersign/core/internal'
import { canonicalText } from '../../canonical.ts'
import { leafOf, sha256 } from '../../merkle.ts'
import { type Committed, of, type Truth } from '../truth.ts'

const iso = (ms: number) => new Date(ms).toISOString()

/**
 * What is wrong with the seal of a review case, recomputed apart from the core (interface, Leaves of a batch); null where
 * nothing is.
 */
export function faultOfCaseSeal(
  truth: Truth,
  committed: Committed,
  seal: CaseSeal,
  batch: Batch | undefined,
): string | null {
  const moved = of(reviewCases, committed.transitions).find((one) => one.key === seal.reviewCaseId)
  const review = moved ? moved.after?.row : truth.rows(reviewCases).get(seal.reviewCaseId)?.row
  if (!review || review.state === 'open') return 'its case is open or not there'
  if (leafOf(canonicalText(recordOf(review))) !== seal.leafHash)
    return 'its leaf is not that of its record'
  if (seal.batchId === null) return null
  const leaf = batch?.leaves[seal.leafIndex ?? -1]
  const isThere = leaf?.leafHash === seal.leafHash && 'reviewCaseId' in leaf
  return isThere ? null : `its batch has another leaf at ${seal.leafIndex}`
}

function recordOf(review: ReviewCase): object {
  const { nonces, reviewerComment, response } = review
  return {
    leafType: 'review-case',
    recordVersion: '1.0',
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    checkpointId: review.checkpointId,
    reviewCaseId: review.reviewCaseId,
    caseVersion: review.caseVersion,
    state: review.state,
    decision: review.decision,
    reasonCategory: review.reasonCategory,
    presentationDigest: review.presentationDigest,
    // After an erasure only the digest is left.
    commentDigest: salted(nonces.comment, reviewerComment) ?? review.commentDigest,
    responseDigest: salted(nonces.response, response) ?? review.responseDigest,
    decidedBy: review.decidedBy,
    openedAt: iso(review.createdAt),
    closedAt: iso(review.closedAt ?? 0),
    decisionSignature: null,
  }
}

function salted(nonce: string | null, text: unknown): string | null {
  return nonce === null ? null : sha256(canonicalText([nonce, text]))
}
