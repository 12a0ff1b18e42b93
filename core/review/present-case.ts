import type { Actor } from '../kernel/callers/actor.ts'
import type { ReviewHost } from './deps.ts'
import { caseUrlOf } from './execution/case-events.ts'
import { isAdopted } from './machine/adoption.ts'
import type { ReviewCase } from './records.ts'
import { openToken } from './sealing.ts'
import { type CaseView, caseShape } from './shapes.ts'
import type { DecisionSignatureView as ShownSignature } from './signing/shapes.ts'

/** The reviewer's own signature of a case as it is shown. */
export function signatureOf({ decisionSignature, nonces }: ReviewCase): ShownSignature | null {
  return decisionSignature && { ...decisionSignature, responseNonce: nonces.response }
}

/** The case as this caller may read it: `resumeToken` is for the application's own key. */
export function caseView(
  review: ReviewCase,
  viewer: Actor,
  { ingestUrl, sealer }: Pick<ReviewHost, 'ingestUrl' | 'sealer'>,
): CaseView {
  const { checkpointId, assigneeId: reviewerId, assignedAt } = review
  return caseShape.show({
    ...review,
    schemaVersion: 1,
    caseUrl: caseUrlOf(ingestUrl, review.reviewCaseId),
    assignment: reviewerId === null || assignedAt === null ? null : { reviewerId, assignedAt },
    checkpoint:
      viewer.kind === 'application'
        ? { checkpointId, resumeToken: openToken(sealer, review) }
        : { checkpointId },
    adopted: isAdopted(review),
    decisionSignature: signatureOf(review),
  })
}
