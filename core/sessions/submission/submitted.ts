import type { ReviewTier, WhyReason } from '../../base/events/review.ts'
import type { StepType } from '../../content/span.ts'

/** A session as an application submits it, whole and final; its leaf is the hash of exactly this. Times are ISO 8601. */
export interface SubmittedSession {
  readonly sessionId: string
  readonly startedAt: string
  readonly endedAt: string
  readonly status: 'completed' | 'failed'
  readonly dataSubjectId?: string | null
  readonly agent?: { readonly name: string; readonly version?: string | null } | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly steps: readonly SubmittedStep[]
  readonly policyResults?: readonly SubmittedPolicyResult[] | null
  readonly scores?: readonly SubmittedScore[] | null
}

/** A step of a submitted session. */
export interface SubmittedStep {
  readonly stepId: string
  readonly parentStepId?: string | null
  readonly type: StepType
  readonly name: string
  readonly startedAt: string
  readonly endedAt: string
  readonly status: 'ok' | 'error'
  readonly model?: string | null
  readonly inputTokens?: number | null
  readonly outputTokens?: number | null
  readonly toolName?: string | null
  readonly dataSubjectId?: string | null
  readonly dataCategories?: readonly string[] | null
  readonly checkpointId?: string | null
  readonly attributes?: Readonly<Record<string, unknown>> | null
  readonly input?: unknown
  readonly output?: unknown
}

/** What the application's own policy said of a session or a step. */
export interface SubmittedPolicyResult {
  readonly ruleId: string
  readonly ruleName?: string | null
  readonly effect: 'allow' | 'deny' | 'require_review'
  readonly stepId?: string | null
  readonly reasonCategory?: WhyReason | 'other' | null
  readonly reviewTier?: ReviewTier | null
}

/** A score of a session or a step. */
export interface SubmittedScore {
  readonly name: string
  readonly value: number
  readonly label?: string | null
  readonly stepId?: string | null
}

/** A batch of sessions under a Merkle root. */
export interface Submission {
  /** The application's own, 1 to 128 characters. */
  readonly batchId: string
  /** Hex; over the leaves of `sessions` in their order. */
  readonly merkleRoot: string
  /** Members beyond those named are hashed, and ignored. */
  readonly sessions: readonly SubmittedSession[]
}

const named = {
  session: [
    'sessionId',
    'startedAt',
    'endedAt',
    'status',
    'dataSubjectId',
    'agent',
    'metadata',
    'steps',
    'policyResults',
    'scores',
  ] satisfies readonly (keyof SubmittedSession)[],
  step: [
    'stepId',
    'parentStepId',
    'type',
    'name',
    'startedAt',
    'endedAt',
    'status',
    'model',
    'inputTokens',
    'outputTokens',
    'toolName',
    'dataSubjectId',
    'dataCategories',
    'checkpointId',
    'attributes',
    'input',
    'output',
  ] satisfies readonly (keyof SubmittedStep)[],
  result: [
    'ruleId',
    'ruleName',
    'effect',
    'stepId',
    'reasonCategory',
    'reviewTier',
  ] satisfies readonly (keyof SubmittedPolicyResult)[],
  score: ['name', 'value', 'label', 'stepId'] satisfies readonly (keyof SubmittedScore)[],
  agent: ['name', 'version'],
} as const

/** Whether a session has members beyond those named: they are hashed, and no redaction policy knows them. */
export function hasOtherMembers(session: SubmittedSession): boolean {
  const { steps, policyResults, scores, agent } = session
  const isOther = (value: object, names: readonly string[]) =>
    Object.keys(value).some((name) => !names.includes(name))
  return (
    isOther(session, named.session) ||
    isOther(agent ?? {}, named.agent) ||
    steps.some((step) => isOther(step, named.step)) ||
    (policyResults ?? []).some((result) => isOther(result, named.result)) ||
    (scores ?? []).some((score) => isOther(score, named.score))
  )
}
