import type { ReviewTier, WhyReason } from '../../events/review.ts'
import type { StepType } from '../../sessions/span.ts'

/** What a rule does with what it matches. */
export const effects = ['allow', 'deny', 'require_review'] as const
/** Effect of a rule or of a policy result. */
export type Effect = (typeof effects)[number]

/** Severities of rules, flags and alerts, the mildest first. */
export const severities = ['info', 'warning', 'critical'] as const
/** Severity of a rule, a flag or an alert. */
export type Severity = (typeof severities)[number]

/** Operators of conditions. */
export const operators = [
  'eq',
  'ne',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'starts_with',
  'glob',
  'exists',
] as const
/** Operator of a condition. */
export type Operator = (typeof operators)[number]

export type Scalar = string | number | boolean

/** A condition on one fact of a step: `value` is a list for `in` and `not_in`, a boolean for `exists`, else a scalar. */
export interface Condition {
  readonly key: string
  readonly op: Operator
  readonly value: Scalar | readonly Scalar[]
}

/** What a rule matches: members are and-ed, each list is or-ed, an empty list matches all. */
export interface Match {
  readonly stepTypes: readonly StepType[]
  /** Globs. */
  readonly toolNames: readonly string[]
  readonly attributes: readonly Condition[]
  readonly dataCategories: readonly string[]
}

/** A policy rule. */
export interface PolicyRule {
  readonly ruleId: string
  /** From 1; raised with each change. */
  readonly version: number
  readonly name: string
  readonly enabled: boolean
  readonly match: Match
  readonly effect: Effect
  readonly severity: Severity
  readonly reasonCategory: WhyReason | 'other'
  readonly reviewTier: ReviewTier
  readonly dueInSeconds: number | null
  readonly expiresInSeconds: number | null
}

/** A score that the application sent. */
export interface GivenScore {
  readonly name: string
  readonly value: number
  readonly label: string | null
}

/** A policy result that the application found itself. */
export interface OwnResult {
  readonly ruleId: string
  readonly ruleName: string | null
  readonly effect: Effect
  readonly reasonCategory: WhyReason | 'other' | null
  readonly reviewTier: ReviewTier | null
}

/** A step as rules see it: once, when it is accepted, in memory, before redaction. Times are ms. */
export interface StepFacts {
  readonly stepId: string
  readonly parentStepId: string | null
  readonly type: StepType
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number
  readonly status: 'ok' | 'error'
  readonly model: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly toolName: string | null
  readonly agentName: string | null
  readonly agentVersion: string | null
  readonly dataSubjectId: string | null
  readonly dataCategories: readonly string[]
  readonly checkpointId: string | null
  /** The application's own value, for the case that this step may open. */
  readonly resumeToken: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly input: unknown
  readonly output: unknown
  readonly scores: readonly GivenScore[]
  readonly ownResults: readonly OwnResult[]
}

/** A session as rules see it. */
export interface SessionFacts {
  readonly sessionId: string
  readonly applicationId: string
  readonly origin: 'otlp' | 'submission'
  readonly startedAt: number
  readonly dataSubjectId: string | null
  readonly agentName: string | null
  readonly agentVersion: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly scores: readonly GivenScore[]
}
