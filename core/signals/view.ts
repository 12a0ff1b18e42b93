import type { FlagKind, FlagSource } from './flags/records.ts'
import type { Severity } from './policy/shapes.ts'

/** A flag of a session; times are ISO 8601 UTC. */
export interface FlagView {
  readonly flagId: string
  readonly flag: FlagKind
  readonly severity: Severity
  readonly note: string | null
  readonly source: FlagSource
  /** A member's id; null for policies and scores. */
  readonly raisedBy: string | null
  readonly raisedAt: string
  readonly clearedBy: string | null
  readonly clearedAt: string | null
}

/** An annotation of a session or a step. */
export interface AnnotationView {
  readonly annotationId: string
  readonly sessionId: string
  readonly stepId: string | null
  /** Null where none was given, and after an erasure. */
  readonly label: string | null
  /** Null after an erasure. */
  readonly text: string | null
  readonly createdBy: string
  readonly createdAt: string
}

/** A review of a session; the reviewer's name as it was then. */
export interface SessionReviewView {
  readonly sessionReviewId: string
  readonly sessionId: string
  readonly revision: number
  /** Hex, of that revision's seal; null where it was not sealed yet. */
  readonly leafHash: string | null
  readonly decision: 'approved' | 'rejected'
  readonly comment: string | null
  readonly reviewerId: string
  readonly reviewerName: string
  readonly reviewedAt: string
}

/** The scores of an application over 7 days. */
export interface ScoresView {
  /** Name of the scorer. */
  readonly scorer: string
  /** 0 to 100; null before it was computed, and without anything to compute from. */
  readonly governance: number | null
  readonly components: Readonly<Record<string, number>>
  readonly qualityMean: number | null
  /** Completed in the window. */
  readonly sessions: number
  /** ISO 8601 UTC. */
  readonly computedAt: string | null
}
