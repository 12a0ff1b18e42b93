import type { Actor } from '../kernel/callers/actor.ts'
import { isoTime, isoTimeOrNull } from '../kernel/ledger/iso-time.ts'
import type { ReviewHost } from './deps.ts'
import { caseUrlOf } from './execution/case-events.ts'
import { isAdopted } from './machine/adoption.ts'
import type { ReviewCase } from './records.ts'
import { openToken } from './sealing.ts'
import type { CaseCallbackView, CaseRow, CaseView } from './view.ts'

/** A case as a row of a list. */
export function caseRow(
  review: ReviewCase,
  viewer: Actor,
  host: Pick<ReviewHost, 'ingestUrl' | 'sealer'>,
  include: 'presentation' | undefined,
): CaseRow {
  const { presentation, ...row } = caseView(review, viewer, host)
  return include === 'presentation' ? { ...row, presentation } : row
}

/** The case as this caller may read it: `resumeToken` is for the application's own key. */
export function caseView(
  review: ReviewCase,
  viewer: Actor,
  { ingestUrl, sealer }: Pick<ReviewHost, 'ingestUrl' | 'sealer'>,
): CaseView {
  const { checkpointId, assigneeId, assignedAt, callback, continuation } = review
  return {
    schemaVersion: 1,
    reviewCaseId: review.reviewCaseId,
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    stepId: review.stepId,
    caseVersion: review.caseVersion,
    eventSequence: review.eventSequence,
    decision: review.decision,
    reviewTier: review.reviewTier,
    dueAt: isoTime(review.dueAt),
    expiresAt: isoTime(review.expiresAt),
    reasonCategory: review.reasonCategory,
    cancellationReason: review.cancellationReason,
    presentationDigest: review.presentationDigest,
    caseUrl: caseUrlOf(ingestUrl, review.reviewCaseId),
    state: review.state,
    assignment:
      assigneeId === null || assignedAt === null
        ? null
        : { reviewerId: assigneeId, assignedAt: isoTime(assignedAt) },
    overdueAt: isoTimeOrNull(review.overdueAt),
    createdAt: isoTime(review.createdAt),
    updatedAt: isoTime(review.updatedAt),
    closedAt: isoTimeOrNull(review.closedAt),
    decidedBy: review.decidedBy,
    reviewerComment: review.reviewerComment,
    response: review.response,
    followUps: review.followUps.map(({ question, askedAt, answer, answeredAt }) => ({
      question,
      askedAt: isoTime(askedAt),
      answer,
      answeredAt: isoTimeOrNull(answeredAt),
    })),
    policyResults: review.policyResults,
    checkpoint:
      viewer.kind === 'application'
        ? { checkpointId, resumeToken: openToken(sealer, review) }
        : { checkpointId },
    requestedBy: review.requestedBy,
    adopted: isAdopted(review),
    presentation: review.presentation,
    callback: callbackOf(callback),
    continuation: continuation && {
      ...continuation,
      reportedAt: isoTime(continuation.reportedAt),
    },
    history: review.history.map((step) => ({ ...step, at: isoTime(step.at) })),
  }
}

/** The outcome callback of a case alone. */
export function caseCallbackView({ reviewCaseId, callback }: ReviewCase): CaseCallbackView {
  return { reviewCaseId, callback: callbackOf(callback) }
}

function callbackOf(callback: ReviewCase['callback']): CaseView['callback'] {
  return { ...callback, lastAttemptAt: isoTimeOrNull(callback.lastAttemptAt) }
}
