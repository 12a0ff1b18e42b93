import type { Put } from '../base/ports/store.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { object } from '../kernel/members.ts'
import { just, line, type Named, type OutsOf, oneOf } from '../kernel/shape.ts'
import { schedule } from '../kernel/work/records.ts'
import { orNull } from '../kernel/wrap.ts'
import type { CaseWithoutTexts, ReviewCase } from './records.ts'
import { caseMembers, sealedMembers } from './shapes.ts'
import { storedSignature } from './signing/shapes.ts'

/** Hands a case that has ended to the sealing of its application. */
export const caseSealKind = 'reviewCase.seal'

/** The item of a case that ends with this commit: a case ends once, so there is none before. */
export function caseSealItem(review: ReviewCase, now: number): Put {
  const { reviewCaseId: ref, tenantId, applicationId } = review
  return schedule({ kind: caseSealKind, ref, tenantId, applicationId, due: now })
}

const { tenantId, applicationId, sessionId, reviewCaseId, caseVersion } = caseMembers
const { decision, reasonCategory, presentationDigest, decidedBy, createdAt: time } = caseMembers
const { commentDigest, responseDigest } = sealedMembers

const record = {
  leafType: just('review-case'),
  recordVersion: just('1.0'),
  tenantId,
  applicationId,
  sessionId,
  checkpointId: line(longest.id),
  reviewCaseId,
  caseVersion,
  state: oneOf(['decided', 'cancelled', 'expired']),
  decision,
  reasonCategory,
  presentationDigest,
  commentDigest,
  responseDigest,
  decidedBy,
  openedAt: time,
  closedAt: time,
  /** The reviewer's own signature; null where the service recorded the decision. */
  decisionSignature: orNull(storedSignature),
}
/**
 * The record that the leaf of a closed case hashes: ids, times, states and digests. It holds no text, and no erasure
 * changes it.
 */
export interface CaseRecord extends OutsOf<typeof record> {}
export const caseRecordShape: Named<typeof record, CaseRecord> = object(record, 'CaseRecord')

/** The record of a case; null for one that is open. */
export function caseRecordOf(review: CaseWithoutTexts): CaseRecord | null {
  const { state, closedAt } = review
  if (state === 'open' || closedAt === null) return null
  return {
    leafType: 'review-case',
    recordVersion: '1.0',
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    checkpointId: review.checkpointId,
    reviewCaseId: review.reviewCaseId,
    caseVersion: review.caseVersion,
    state,
    decision: review.decision,
    reasonCategory: review.reasonCategory,
    presentationDigest: review.presentationDigest,
    commentDigest: review.commentDigest,
    responseDigest: review.responseDigest,
    decidedBy: review.decidedBy,
    openedAt: isoTime(review.createdAt),
    closedAt: isoTime(closedAt),
    decisionSignature: review.decisionSignature,
  }
}
