import type {
  CancellationReason,
  ContinuationOutcome,
  Decision,
  ReviewTier,
  WhyReason,
} from '../base/events/review.ts'
import type { Collection, Read } from '../base/ports/store.ts'
import { get, list } from '../kernel/ledger/reads.ts'
import type { StepName } from './machine/steps.ts'
import type { CallbackState, CaseState, Presentation } from './view.ts'

/** A question to the application, and what it answered. */
export interface FollowUpRecord {
  readonly question: string
  readonly askedAt: number
  readonly answer: string | null
  readonly answeredAt: number | null
}

/** One recorded step; those of rows 10 to 13 leave the case version as it is. */
export interface StepRecord {
  readonly eventSequence: number
  readonly caseVersion: number
  readonly step: StepName
  readonly at: number
  readonly actor: string
}

/** A review case as it is stored; times are ms. */
export interface ReviewCase {
  readonly reviewCaseId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly checkpointId: string
  /** Sealed for this case (`sealing.ts`). */
  readonly resumeToken: Uint8Array | null
  readonly caseVersion: number
  readonly eventSequence: number
  readonly state: CaseState
  /** `follow_up_required` while a question waits for its answer, then null again; else how the case ended. */
  readonly decision: Decision | null
  readonly reviewTier: ReviewTier
  readonly dueAt: number
  readonly expiresAt: number
  readonly overdueAt: number | null
  /** Why a human must look at it; what a step was for stands in its event. */
  readonly reasonCategory: WhyReason | 'other'
  readonly cancellationReason: CancellationReason | null
  /** Null after an erasure; its digest stays. */
  readonly presentation: Presentation | null
  /** Of `presentation`; null until the case has its first assignee. */
  readonly presentationDigest: string | null
  readonly policyResults: readonly unknown[]
  readonly requestedBy: string | null
  readonly assigneeId: string | null
  readonly assignedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly closedAt: number | null
  readonly decidedBy: string | null
  readonly reviewerComment: string | null
  readonly response: unknown
  /** The id of its outcome callback, kept when an erasure takes the response that it is derived from; absent before. */
  readonly callbackId?: string
  readonly followUps: readonly FollowUpRecord[]
  readonly callback: {
    readonly state: CallbackState
    /** Since it was owed or last replayed. */
    readonly attempts: number
    readonly lastAttemptAt: number | null
  }
  readonly continuation: {
    readonly outcome: ContinuationOutcome
    readonly reportedAt: number
    readonly detail: string | null
  } | null
  readonly history: readonly StepRecord[]
}

export const reviewCases: Collection<ReviewCase> = {
  name: 'reviewCases',
  // Ids sort by time, so every list that an index pins down comes in the order of opening.
  key: ['reviewCaseId'],
  columns: {
    reviewCaseId: 'text',
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    checkpointId: 'text',
    state: 'text',
    assigneeId: 'text',
    reviewTier: 'text',
    overdueAt: 'int',
    expiresAt: 'int',
  },
  indexes: {
    // One for each set of filters of the list: so each page is found in its index, whatever else there is.
    byTenant: ['tenantId'],
    byState: ['tenantId', 'state'],
    byTier: ['tenantId', 'reviewTier'],
    byStateAndTier: ['tenantId', 'state', 'reviewTier'],
    byAssignee: ['tenantId', 'assigneeId'],
    byAssigneeAndState: ['tenantId', 'assigneeId', 'state'],
    byAssigneeAndTier: ['tenantId', 'assigneeId', 'reviewTier'],
    byAssigneeStateAndTier: ['tenantId', 'assigneeId', 'state', 'reviewTier'],
    ofApplication: ['tenantId', 'applicationId'],
    ofApplicationByState: ['tenantId', 'applicationId', 'state'],
    ofApplicationByTier: ['tenantId', 'applicationId', 'reviewTier'],
    ofApplicationByStateAndTier: ['tenantId', 'applicationId', 'state', 'reviewTier'],
    ofApplicationByAssignee: ['tenantId', 'applicationId', 'assigneeId'],
    ofApplicationByAssigneeAndState: ['tenantId', 'applicationId', 'assigneeId', 'state'],
    ofApplicationByAssigneeAndTier: ['tenantId', 'applicationId', 'assigneeId', 'reviewTier'],
    ofApplicationByAll: ['tenantId', 'applicationId', 'assigneeId', 'state', 'reviewTier'],
    byCheckpoint: ['tenantId', 'applicationId', 'sessionId', 'checkpointId'],
    byApplication: ['applicationId'],
    bySession: ['tenantId', 'sessionId'],
    byExpiry: ['tenantId', 'state', 'expiresAt'],
  },
  unique: {
    openCheckpoint: {
      on: ['tenantId', 'applicationId', 'sessionId', 'checkpointId'],
      when: { column: 'state', is: 'open' },
    },
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
  restore: { raise: ['caseVersion', 'eventSequence'] },
}

export function caseOf(reviewCaseId: string): Read {
  return get(reviewCases, [reviewCaseId])
}

/** The read of the open case of a checkpoint. */
export function openCaseAt({
  tenantId,
  applicationId,
  sessionId,
  checkpointId,
}: Pick<ReviewCase, 'tenantId' | 'applicationId' | 'sessionId' | 'checkpointId'>): Read {
  return list(reviewCases, {
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['sessionId', '=', sessionId],
      ['checkpointId', '=', checkpointId],
      ['state', '=', 'open'],
    ],
    by: 'byCheckpoint',
    take: 1,
  })
}
