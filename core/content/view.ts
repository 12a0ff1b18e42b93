import type { AnchorEntry, AnchorStatus } from '../base/ports/anchor.ts'
import type { PayloadStatus } from './payload-records.ts'
import type { SessionOrigin, SessionStatus } from './records.ts'
import type { StepType } from './span.ts'

/** Which application's session is meant; needed where two have the same id. */
export interface SessionOf {
  readonly applicationId?: string
}

/** A session as it is told; times are ISO 8601 UTC. */
export interface SessionView {
  readonly sessionId: string
  readonly applicationId: string
  readonly origin: SessionOrigin
  readonly status: SessionStatus
  readonly startedAt: string
  /** Null while it runs. */
  readonly endedAt: string | null
  readonly durationMs: number | null
  /** A pseudonym. */
  readonly dataSubjectId: string | null
  readonly agent: { readonly name: string; readonly version: string | null } | null
  readonly models: readonly string[]
  /** Null where it gave none, and after an erasure; null in lists. */
  readonly metadata: unknown
  readonly stepCount: number
  readonly errorCount: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly qualityScore: number | null
  readonly openFlags: number
  readonly openReviewCases: number
  readonly reviewState: 'approved' | 'rejected' | null
  readonly revision: number
  readonly sealed: { readonly batchId: string; readonly leafIndex: number } | null
  readonly payloadStatus: PayloadStatus
  readonly receivedAt: string
  readonly completedAt: string | null
  /** When retention removes it, unless a hold or an open case keeps it. */
  readonly removeAfter: string | null
}

/** A score that came with the data. */
export interface ScoreView {
  readonly name: string
  readonly value: number
  readonly label: string | null
}

/** Content of a step in clear text, with the nonces that its digests cover. */
export interface PayloadView {
  readonly input: unknown
  readonly output: unknown
  readonly attributes: unknown
  /** By field, 64 hex digits. */
  readonly nonces: Readonly<Record<string, string>>
}

/** A step of a session; its payload is null in lists. */
export interface StepView {
  readonly stepId: string
  readonly parentStepId: string | null
  readonly type: StepType
  readonly name: string
  readonly startedAt: string
  readonly endedAt: string
  readonly status: 'ok' | 'error'
  readonly model: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly toolName: string | null
  readonly dataSubjectId: string | null
  readonly dataCategories: readonly string[]
  readonly checkpointId: string | null
  readonly late: boolean
  readonly truncated: boolean
  readonly redactions: number
  readonly scores: readonly ScoreView[]
  readonly payload: PayloadView | null
  readonly payloadStatus: Exclude<PayloadStatus, 'partly_erased'>
}

/** Which sessions a list shows; times are ms. */
export interface SessionFilter {
  readonly applicationId?: string
  readonly status?: SessionStatus
  readonly origin?: SessionOrigin
  /** `from ≤ startedAt < until`. */
  readonly from?: number
  readonly until?: number
  readonly flagged?: boolean
  readonly openReview?: boolean
  readonly dataSubjectId?: string
  readonly minQuality?: number
  readonly maxQuality?: number
  readonly sort?: '-startedAt' | 'startedAt'
}

/** The answer to a submission, and of its batch later. */
export interface BatchView {
  readonly batchId: string
  readonly merkleRoot: string
  readonly treeSize: number
  readonly accepted: number
  readonly duplicates: number
  readonly sessions: readonly {
    readonly sessionId: string
    readonly leafIndex: number
    readonly leafHash: string
    readonly status: 'accepted' | 'duplicate'
    readonly reviewCaseIds: readonly string[]
  }[]
}

/** The anchor of a batch; the entry's members are null until the ledger took it. */
export type AnchorView = {
  readonly [Member in keyof AnchorEntry]: AnchorEntry[Member] | null
} & {
  readonly entryHash: string | null
  /** Links root and commitment; null in the list of anchors. */
  readonly nonce: string | null
  /** `pending` before the ledger took it. */
  readonly status: 'pending' | AnchorStatus
}

/** Proof that a session lies under a Merkle root (RFC 9162). */
export interface ProofView {
  readonly sessionId: string
  readonly applicationId: string
  readonly revision: number
  readonly hashAlgorithm: 'rfc9162-sha256'
  readonly batchId: string
  readonly leafIndex: number
  readonly treeSize: number
  readonly leafHash: string
  readonly inclusionPath: readonly string[]
  readonly merkleRoot: string
  readonly anchor: AnchorView
}

/** What a customer key has used. */
export interface UsageView {
  readonly applicationId: string
  readonly keyId: string
  readonly type: 'primary ingest' | 'secondary' | 'management'
  readonly ratePerMinute: number
  readonly sessionsUsed: number
  /** Null: without a limit. */
  readonly sessionsPerMonth: number | null
  readonly periodEnd: string
}
