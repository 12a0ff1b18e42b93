import { type SessionView, type StepView, shownScore } from '../../content/view.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { just, line, type OutsOf, oneOf, time, whole } from '../../kernel/shape.ts'
import { anyText } from '../../kernel/usual.ts'
import { optional, orNull } from '../../kernel/wrap.ts'
import { effects, severities } from '../../policies/rules/shapes.ts'

const id = line(longest.id)

/** The record that the leaf of an OTLP session hashes: the session without its content. */
export interface SessionRecord {
  readonly recordVersion: '1.0'
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly revision: number
  readonly status: SessionView['status']
  readonly startedAt: string
  readonly endedAt: string
  readonly agent: SessionView['agent']
  readonly steps: readonly RecordedStep[]
  readonly policyResults: readonly EvidencePolicyResult[]
  readonly scores: readonly EvidenceScore[]
}

/** A step of a session's record. */
export type RecordedStep = Pick<
  StepView,
  | 'stepId'
  | 'parentStepId'
  | 'type'
  | 'name'
  | 'startedAt'
  | 'endedAt'
  | 'status'
  | 'model'
  | 'inputTokens'
  | 'outputTokens'
  | 'toolName'
  | 'late'
> & {
  readonly payloads: readonly {
    readonly field: string
    /** UTF-8 bytes of the digested text. */
    readonly bytes: number
    /** `payloadDigestOf` nonce and content. */
    readonly digest: string
  }[]
}

export const evidencePolicyResult = {
  ruleId: id,
  ruleVersion: orNull(whole(0, Number.MAX_SAFE_INTEGER)),
  ruleName: anyText,
  effect: oneOf(effects),
  severity: oneOf(severities),
  source: oneOf(['service', 'application']),
  stepId: orNull(id),
  matchedAt: time,
  reviewCaseId: orNull(id),
  /** Set where the rule matched only after the step was stored, by what its session became. */
  late: optional(just(true)),
}
/** What a policy rule said of a session or a step. */
export interface EvidencePolicyResult extends OutsOf<typeof evidencePolicyResult> {}

export const evidenceScore = { ...shownScore, stepId: orNull(id) }
/** A score, of a step or, where that is null, of the session. */
export interface EvidenceScore extends OutsOf<typeof evidenceScore> {}
