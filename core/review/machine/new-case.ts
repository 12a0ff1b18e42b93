import { placeOf } from '../../content/records.ts'
import type { RowsOf } from '../../kernel/shape.ts'
import type { opening } from '../inputs.ts'
import type { ReviewCase } from '../records.ts'
import type { Moved } from './command.ts'
import { recordSteps } from './record-steps.ts'
import { deadlinesOf } from './tiers.ts'

/** Row 1: the case that an opening yields, unassigned, at version 1 and sequence 1. Its input is checked. */
export function newCase(
  input: Omit<RowsOf<typeof opening>, 'idempotencyKey' | 'resumeToken' | 'dataSubjectId'>,
  made: {
    readonly reviewCaseId: string
    readonly tenantId: string
    readonly applicationId: string
    readonly at: number
    readonly by: string
    /** Sealed for this case. */
    readonly resumeToken: Uint8Array | null
    /** The pseudonym of whom the opening named; absent: nobody. */
    readonly dataSubjectId?: string | null
  },
): Moved {
  const { reviewCaseId, tenantId, applicationId, at, by, resumeToken } = made
  const { dataSubjectId = null } = made
  const reviewTier = input.reviewTier ?? 'standard'
  const { dueAt = null, expiresAt = null } = input
  const deadlines = deadlinesOf(reviewTier, at, { dueAt, expiresAt })
  const blank: ReviewCase = {
    reviewCaseId,
    tenantId,
    applicationId,
    sessionId: input.sessionId,
    stepId: input.stepId,
    checkpointId: input.checkpointId,
    dataSubjectId,
    resumeToken,
    caseVersion: 0,
    eventSequence: 0,
    state: 'open',
    decision: null,
    reviewTier,
    dueAt: deadlines.dueAt,
    expiresAt: deadlines.expiresAt,
    overdueAt: null,
    reasonCategory: input.reasonCategory,
    cancellationReason: null,
    presentation: input.presentation,
    presentationDigest: null,
    policyResults: input.policyResults ?? [],
    requestedBy: input.requestedBy,
    assigneeId: null,
    assignedAt: null,
    idleSince: null,
    duePlace: placeOf(deadlines.dueAt, reviewCaseId),
    followUp: null,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    decidedBy: null,
    reviewerComment: null,
    response: null,
    reviewer: null,
    commentDigest: null,
    responseDigest: null,
    nonces: { comment: null, response: null },
    decisionSignature: null,
    followUps: [],
    callback: { state: 'none', attempts: 0, lastAttemptAt: null },
    continuation: null,
    history: [],
  }
  return recordSteps(blank, [{ step: 'created', reason: input.reasonCategory, change: {} }], at, by)
}
