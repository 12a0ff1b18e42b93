import {
  type ReviewTier,
  reasonGroups,
  reviewTiers,
  type WhyReason,
} from '../../base/events/review.ts'
import { type StepType, stepTypes } from '../../content/span.ts'
import { longest, most } from '../../kernel/ledger/limits.ts'
import { listOf, object } from '../../kernel/members.ts'
import {
  flag,
  type InsOf,
  line,
  name,
  number,
  oneOf,
  type RowsOf,
  type Shape,
  text,
  whole,
} from '../../kernel/shape.ts'
import { fromOne } from '../../kernel/usual.ts'
import { either, optional, orNull, usual } from '../../kernel/wrap.ts'
import { pattern, patterns, someOf } from '../patterns.ts'

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

const scalar: Shape<Scalar> = either(
  'a text, a number, true or false',
  text(longest.conditionValue, 0),
  number,
  flag,
)

/** A condition on one fact of a step: `value` is a list for `in` and `not_in`, a boolean for `exists`, else a scalar. */
const condition = {
  key: pattern,
  op: oneOf(operators),
  value: either(
    'a text, a number, true, false, or a list of these',
    scalar,
    listOf(scalar, { most: most.conditionValues }),
  ),
}
/** A condition on one fact of a step. */
export interface Condition extends RowsOf<typeof condition> {}

/** What a rule matches: members are and-ed, each list is or-ed, an empty list matches all. */
const match = {
  stepTypes: someOf(stepTypes),
  /** Globs. */
  toolNames: patterns,
  attributes: usual(listOf(object(condition), { most: most.conditions }), []),
  dataCategories: patterns,
}
/** What a rule matches. */
export interface Match extends RowsOf<typeof match> {}

/** Within a year. */
const seconds = whole(1, 366 * 24 * 60 * 60)

/** The members that the owner of a policy rule sets. */
const definition = {
  name: name(longest.name),
  enabled: usual(flag, true),
  match: usual(object(match), { stepTypes: [], toolNames: [], attributes: [], dataCategories: [] }),
  effect: oneOf(effects),
  severity: usual(oneOf(severities), 'warning'),
  reasonCategory: usual(
    oneOf([...reasonGroups.why, ...reasonGroups.else]),
    'policy_requires_human_review',
  ),
  reviewTier: usual(oneOf(reviewTiers), 'standard'),
  dueInSeconds: orNull(seconds),
  expiresInSeconds: orNull(seconds),
}
/** From 1; raised with each change of a rule. */

/** The members of a policy rule. */
export const policyRule = { ruleId: line(longest.id), version: fromOne, ...definition }
/** A policy rule. */
export interface PolicyRule extends RowsOf<typeof policyRule> {}

/** The members of a policy rule to save. */
export const givenPolicyRule = {
  /** Of a rule that this application has or had; absent: a new rule. */
  ruleId: optional(line(longest.id)),
  /** Not looked at, so that a set that was read can be saved. */
  version: optional(fromOne),
  ...definition,
}
/** A policy rule to save. */
export interface PolicyRuleInput extends InsOf<typeof givenPolicyRule> {}
/** A policy rule to save, with all that it did not say. */
export interface GivenPolicyRule extends RowsOf<typeof givenPolicyRule> {}

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
