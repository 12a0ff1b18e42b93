import type { ErasureCounts, ErasureReason, ErasureStatus } from './records.ts'

/** What is held of a data subject. */
export interface SubjectView {
  /** The pseudonym. */
  readonly dataSubjectId: string
  readonly applicationIds: readonly string[]
  readonly sessionCount: number
  readonly activeHolds: number
}

/** An erasure request; times are ISO 8601 UTC. */
export interface ErasureView {
  readonly erasureRequestId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Null: in every application. */
  readonly applicationId: string | null
  readonly reason: ErasureReason
  readonly status: ErasureStatus
  /** `callback`: outcomes of cancelled or closed cases are still being sent, for 72 h at most. */
  readonly waitingFor: 'hold' | 'callback' | null
  readonly requestedBy: string
  readonly requestedAt: string
  readonly completedAt: string | null
  readonly counts: ErasureCounts | null
  /** Null until it is completed. */
  readonly certificateUrl: string | null
}

/** A legal hold; times are ISO 8601 UTC. */
export interface HoldView {
  readonly holdId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Null: in every application. */
  readonly applicationId: string | null
  readonly matter: string
  readonly placedBy: string
  readonly placedAt: string
  readonly releasedAt: string | null
  readonly releasedBy: string | null
  readonly releaseReason: string | null
}
