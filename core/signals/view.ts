import type { ReviewTier, WhyReason } from '../events/review.ts'
import type { FlagKind, FlagSource } from './flags/records.ts'
import type { Effect, Match, PolicyRule, Severity } from './policy/shapes.ts'
import type { RedactionPolicy } from './redaction/policy.ts'

/** The policy rules of an application. */
export interface PolicyRulesView {
  /** 0 where none was ever saved. */
  readonly ruleSetVersion: number
  readonly rules: readonly PolicyRule[]
  /** ISO 8601 UTC. */
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** A policy rule to save. */
export interface PolicyRuleInput {
  /** Of a rule that this application has or had; absent: a new rule. */
  readonly ruleId?: string
  /** Not looked at, so that a set that was read can be saved. */
  readonly version?: number
  readonly name: string
  /** Default true. */
  readonly enabled?: boolean
  /** An absent list matches all. */
  readonly match?: Partial<Match>
  readonly effect: Effect
  /** Default `warning`. */
  readonly severity?: Severity
  /** Default `policy_requires_human_review`. */
  readonly reasonCategory?: WhyReason | 'other'
  /** Default `standard`. */
  readonly reviewTier?: ReviewTier
  readonly dueInSeconds?: number | null
  readonly expiresInSeconds?: number | null
}

/** The redaction policies of an application, in the order in which they apply. */
export interface RedactionPoliciesView {
  readonly policies: readonly RedactionPolicy[]
  /** ISO 8601 UTC. */
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** A redaction policy to save. */
export interface RedactionPolicyInput
  extends Partial<Pick<RedactionPolicy, 'stepTypes' | 'fields' | 'keys' | 'enabled'>>,
    Pick<RedactionPolicy, 'name' | 'detect' | 'action'> {
  /** Of a policy of this application; absent: a new policy. */
  readonly redactionPolicyId?: string
}

/** How an application's spans are read. */
export interface IngestRulesView {
  readonly sessionAttribute: string | null
  readonly subjectAttribute: string | null
  readonly dropAttributes: readonly string[]
  /** ISO 8601 UTC. */
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** Ingest rules to save; absent members are null or empty. */
export interface IngestRulesInput {
  readonly sessionAttribute?: string | null
  readonly subjectAttribute?: string | null
  readonly dropAttributes?: readonly string[]
}

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
