import type {
  CancellationReason,
  ContinuationOutcome,
  Decision,
  ReviewTier,
  WhyReason,
} from '../base/events/review.ts'
import type { AttemptRecord } from '../outbox/records.ts'

/** Of the outcome callback: `none` before the case is closed and where there is none to make. */
export type CallbackState = 'none' | 'pending' | 'received' | 'failed'

export const caseStates = ['open', 'decided', 'cancelled', 'expired'] as const
/** State of a case. */
export type CaseState = (typeof caseStates)[number]

/**
 * What the assigned reviewer is shown: the application's own JSON document and, under `followUps`, what it
 * answered since as `{question, answer}`; `presentationDigest` is the digest of exactly this. A policy's case shows the
 * policy's document; once adopted, the application's own stands in it as `application`.
 */
export type Presentation = Readonly<Record<string, unknown>>

export interface FollowUp {
  readonly question: string
  readonly askedAt: string
  readonly answer: string | null
  readonly answeredAt: string | null
}

export interface HistoryEntry {
  readonly eventSequence: number
  readonly caseVersion: number
  readonly step: string
  readonly at: string
  readonly actor: string
}

/** The case record at `caseUrl`; times are ISO 8601 UTC. */
export interface CaseView {
  readonly schemaVersion: 1
  readonly reviewCaseId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly caseVersion: number
  readonly eventSequence: number
  readonly decision: Decision | null
  readonly reviewTier: ReviewTier
  readonly dueAt: string
  readonly expiresAt: string
  /** Why a human must look at it. */
  readonly reasonCategory: WhyReason | 'other'
  readonly cancellationReason: CancellationReason | null
  readonly presentationDigest: string | null
  readonly caseUrl: string
  readonly state: CaseState
  readonly assignment: { readonly reviewerId: string; readonly assignedAt: string } | null
  readonly overdueAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly closedAt: string | null
  readonly decidedBy: string | null
  readonly reviewerComment: string | null
  readonly response: unknown
  readonly followUps: readonly FollowUp[]
  readonly policyResults: readonly unknown[]
  /** `resumeToken` is there only for the application's own key. */
  readonly checkpoint: { readonly checkpointId: string; readonly resumeToken?: string | null }
  readonly requestedBy: string | null
  /** A policy rule opened the case, and the application's own opening at its checkpoint took it over. */
  readonly adopted: boolean
  /** Null after an erasure; its digest stays. */
  readonly presentation: Presentation | null
  readonly callback: {
    readonly state: CallbackState
    readonly attempts: number
    readonly lastAttemptAt: string | null
  }
  readonly continuation: {
    readonly outcome: ContinuationOutcome
    readonly reportedAt: string
    readonly detail: string | null
  } | null
  readonly history: readonly HistoryEntry[]
}

/** What members who may not read a case are told of its outcome callback. */
export type CaseCallbackView = Pick<CaseView, 'reviewCaseId' | 'callback'>

/** One attempt to send the outcome callback of a case; what was sent and answered stays out. */
export interface CallbackAttemptView {
  readonly attemptId: string
  /** The outcome's `id` and `webhook-id`. */
  readonly callbackId: string
  /** From 1, within the round; a replay begins another one. */
  readonly attempt: number
  readonly trigger: AttemptRecord['trigger']
  readonly startedAt: string
  readonly latencyMs: number
  readonly outcome: 'delivered' | 'failed'
  readonly error: string | null
  readonly responseStatus: number | null
  /** SHA-256 of the body, hex; null once the callback is removed for its age or its content is erased. */
  readonly bodySha256: string | null
}

/** A case in a list; its presentation, which may be a mebibyte, only where it was asked for. */
export type CaseRow = Omit<CaseView, 'presentation'> & Partial<Pick<CaseView, 'presentation'>>

/** An application's request for a review (interface, Opening). */
export interface OpenCase {
  readonly sessionId: string
  readonly stepId?: string | null
  readonly checkpointId: string
  /** The application's own opaque value, given back in the callback and to its key alone. */
  readonly resumeToken?: string | null
  readonly reasonCategory: WhyReason | 'other'
  readonly reviewTier?: ReviewTier
  /** Ms since the epoch, as every time that enters the core. */
  readonly dueAt?: number
  readonly expiresAt?: number
  readonly presentation: Presentation
  readonly requestedBy?: string | null
  readonly policyResults?: readonly unknown[]
  readonly idempotencyKey: string
}

/** The version that the caller saw; anything else is refused with `version_conflict`. */
export interface SeenVersion {
  readonly caseVersion: number
  /** Also pins the recorded steps that raise no version, such as those of the outcome callback. */
  readonly eventSequence?: number
}

/** A reviewer's decision. */
export interface DecideCase {
  readonly seen: SeenVersion
  readonly presentationDigest: string
  readonly decision: 'approved' | 'rejected' | 'response_submitted'
  readonly comment?: string | null
  readonly response?: unknown
}

/** Which cases a list shows. */
export interface CaseFilter {
  readonly state?: CaseState
  /** A member's id, `me` or `none`. */
  readonly assignee?: string
  readonly tier?: ReviewTier
  readonly applicationId?: string
  readonly sessionId?: string
  /** What rows have besides. */
  readonly include?: 'presentation'
}

export type { CancellationReason, ContinuationOutcome }
