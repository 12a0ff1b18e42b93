// Generated from the route table by .ci/client.mjs: change that, and run `npm run describe`.
import type { CallOptions, CaseReference, SeenCase } from './call.ts'
import type { Pages } from './pages.ts'
import type {
  BatchAnswer,
  CaseAnswer,
  CaseProofAnswer,
  ExportAnswer,
  KeysAnswer,
  OpenApiAnswer,
  ReviewerKeyAnswer,
  UsageAnswer,
} from './types.ts'

/** The operations of the ingest host, by group. */
export interface IngestApi {
  readonly reviewerKeys: {
    /** List the public keys of reviewers' authenticators, revoked ones too. */
    list(
      input?: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
      options?: CallOptions,
    ): Pages<KeysAnswer, ReviewerKeyAnswer>
  }
  readonly reviewCases: {
    /** Open a review case, or get the one that is open at the checkpoint. */
    open(
      input: {
        readonly sessionId: string
        readonly stepId?: string | null | undefined
        readonly checkpointId: string
        readonly resumeToken?: string | null | undefined
        readonly reasonCategory:
          | 'policy_requires_human_review'
          | 'high_risk_action'
          | 'sensitive_data'
          | 'other'
        readonly reviewTier?: 'standard' | 'high' | 'urgent' | undefined
        readonly dueAt?: string | undefined
        readonly expiresAt?: string | undefined
        readonly presentation: Readonly<Record<string, unknown>>
        readonly dataSubjectId?: string | null | undefined
        readonly requestedBy?: string | null | undefined
        readonly policyResults?: readonly unknown[] | undefined
        readonly idempotencyKey?: string | undefined
      },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Find the newest case of a checkpoint. */
    find(
      input: { readonly sessionId: string; readonly checkpointId: string },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Read a case. */
    read(input: CaseReference, options?: CallOptions): Promise<CaseAnswer>
    /** Prove that a closed case is sealed under a Merkle root. */
    proof(input: CaseReference, options?: CallOptions): Promise<CaseProofAnswer>
    /** Answer the reviewer's question. */
    answerFollowUp(
      input: SeenCase & { readonly answer: string },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Cancel a case that needs no decision any more. */
    cancel(
      input: SeenCase & {
        readonly reasonCategory:
          | 'end_user_cancelled'
          | 'parent_workflow_ended'
          | 'safer_alternative_completed'
          | 'checkpoint_unavailable'
          | 'checkpoint_superseded'
          | 'application_lifecycle'
          | 'policy_rule_withdrawn'
      },
      options?: CallOptions,
    ): Promise<CaseAnswer>
    /** Report what the application did after the outcome. */
    reportContinuation(
      input: CaseReference & {
        readonly outcome: 'resumed' | 'terminated' | 'remained_paused' | 'superseded' | 'failed'
        readonly detail?: string | null | undefined
      },
      options?: CallOptions,
    ): Promise<CaseAnswer>
  }
  readonly ingest: {
    /** Send spans as OTLP/HTTP in JSON or protobuf. */
    otlp(input: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ExportAnswer>
    /** Submit whole sessions under a Merkle root. */
    submit(
      input: {
        readonly batchId: string
        readonly merkleRoot: string
        readonly sessions: readonly {
          readonly sessionId: string
          readonly startedAt: string
          readonly endedAt: string
          readonly status: 'completed' | 'failed'
          readonly dataSubjectId?: string | null | undefined
          readonly agent?:
            | { readonly name: string; readonly version?: string | null | undefined }
            | null
            | undefined
          readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
          readonly steps: readonly {
            readonly stepId: string
            readonly parentStepId?: string | null | undefined
            readonly type: 'llm' | 'tool' | 'retrieval' | 'agent' | 'guardrail' | 'human' | 'other'
            readonly name: string
            readonly startedAt: string
            readonly endedAt: string
            readonly status: 'ok' | 'error'
            readonly model?: string | null | undefined
            readonly inputTokens?: number | null | undefined
            readonly outputTokens?: number | null | undefined
            readonly toolName?: string | null | undefined
            readonly dataSubjectId?: string | null | undefined
            readonly dataCategories?: readonly string[] | null | undefined
            readonly checkpointId?: string | null | undefined
            readonly attributes?: Readonly<Record<string, unknown>> | null | undefined
            readonly input?: unknown
            readonly output?: unknown
          }[]
          readonly policyResults?:
            | readonly {
                readonly ruleId: string
                readonly ruleName?: string | null | undefined
                readonly effect: 'allow' | 'deny' | 'require_review'
                readonly stepId?: string | null | undefined
                readonly reasonCategory?:
                  | 'policy_requires_human_review'
                  | 'high_risk_action'
                  | 'sensitive_data'
                  | 'other'
                  | null
                  | undefined
                readonly reviewTier?: 'standard' | 'high' | 'urgent' | null | undefined
              }[]
            | null
            | undefined
          readonly scores?:
            | readonly {
                readonly name: string
                readonly value: number
                readonly label?: string | null | undefined
                readonly stepId?: string | null | undefined
              }[]
            | null
            | undefined
        }[]
      },
      options?: CallOptions,
    ): Promise<BatchAnswer>
    /** Read the answer to a submission again. */
    readBatch(input: { readonly batchId: string }, options?: CallOptions): Promise<BatchAnswer>
    /** Read what the key has used of its limits. */
    usage(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<UsageAnswer>
  }
  readonly description: {
    /** Read the description of this API as OpenAPI 3.1. */
    read(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<OpenApiAnswer>
  }
}
