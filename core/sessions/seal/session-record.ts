import type { ScoreView, SessionView, StepView } from '../../content/view.ts'

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

/** What a policy rule said of a session or a step. */
export interface EvidencePolicyResult {
  readonly ruleId: string
  readonly ruleVersion: number | null
  readonly ruleName: string
  readonly effect: 'allow' | 'deny' | 'require_review'
  readonly severity: 'info' | 'warning' | 'critical'
  readonly source: 'service' | 'application'
  readonly stepId: string | null
  readonly matchedAt: string
  readonly reviewCaseId: string | null
  /** Set where the rule matched only after the step was stored, by what its session became. */
  readonly late?: true
}

/** A score, of a step or, where that is null, of the session. */
export interface EvidenceScore extends ScoreView {
  readonly stepId: string | null
}
