import { bytesToHex } from '@noble/hashes/utils.js'
import { digestOf } from '../base/canonical/digest.ts'
import type { SessionView, StepView } from '../content/view.ts'
import type { EvidenceDocument } from '../evidence/model.ts'
import type { EvidencePolicyResult } from '../sessions/seal/session-record.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A case of a sample, without its seal. */
export type SampleCase = Omit<EvidenceDocument['reviewCases'][number], 'integrity'>

/** What a sample shows. */
export interface SampleEvidence {
  readonly seed?: number
  readonly steps?: number
  /** How the leaf came to be; null for a session that is not sealed. */
  readonly leaf?: 'record' | 'submitted' | null
  readonly erased?: boolean
  /** The seed of the key that signs, 32 bytes. */
  readonly key?: Uint8Array
  /** Content of every input, in place of a generated one. */
  readonly text?: string
  /** When it begins, ms. */
  readonly startedAt?: number
  /** When its cases end, ms; the first of them, each further one a minute later. */
  readonly closedAt?: number
  /** When its batch is anchored, ms. */
  readonly anchoredAt?: number
  /** What each case becomes before it is sealed; absent: it stays. */
  readonly caseOf?: (review: SampleCase) => SampleCase
}

/** When what a sample shows happened, ms. */
export interface SampleTimes {
  readonly startedAt: number
  readonly closedAt: number
  readonly anchoredAt: number
}

/** The times that are asked for; every sample begins alike where none are. */
export function sampleTimes({
  startedAt = Date.UTC(2026, 2, 14, 9, 30),
  closedAt = startedAt + 900_000,
  anchoredAt = startedAt + 120_000,
}: SampleEvidence): SampleTimes {
  return { startedAt, closedAt, anchoredAt }
}
const types = ['agent', 'llm', 'tool', 'retrieval', 'guardrail', 'human', 'other'] as const
const tiers = ['standard', 'high', 'urgent'] as const

/** ISO 8601 UTC of ms. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

/** Steps of every type, with readable content. */
export function sampleSteps(
  random: SeededRandom,
  { steps = 6, text, ...times }: SampleEvidence,
): readonly StepView[] {
  const { startedAt } = sampleTimes(times)
  return Array.from({ length: steps }, (_, at) => {
    const type = types[at % types.length] ?? 'other'
    const begin = startedAt + at * 1_700 + random.below(900)
    return {
      stepId: `4bf92f3577b34da6a3ce929d0e0e4736-${(at + 1).toString(16).padStart(16, '0')}`,
      parentStepId: at === 0 ? null : `4bf92f3577b34da6a3ce929d0e0e4736-${'1'.padStart(16, '0')}`,
      type,
      name: `${type} step ${at + 1}`,
      startedAt: iso(begin),
      endedAt: iso(begin + 200 + random.below(3_000)),
      status: at % 5 === 4 ? 'error' : 'ok',
      model: type === 'llm' ? 'aurora-4-large' : null,
      inputTokens: type === 'llm' ? 100 + random.below(900) : null,
      outputTokens: type === 'llm' ? 20 + random.below(200) : null,
      toolName: type === 'tool' ? 'payments.transfer' : null,
      dataSubjectId: null,
      dataCategories: [],
      checkpointId: null,
      late: false,
      truncated: false,
      redactions: 0,
      scores: [],
      payload: {
        input: text ?? {
          messages: [{ role: 'user', content: `Please settle claim ${random.below(100_000)}.` }],
        },
        output: `Transferred ${random.below(5_000)} EUR.`,
        attributes: { 'http.route': '/claims', attempt: at },
        nonces: Object.fromEntries(
          ['input', 'output', 'attributes'].map((field) => [field, bytesToHex(random.bytes(32))]),
        ),
      },
      payloadStatus: 'readable',
    }
  })
}

/** The batch of a sample's session. */
export function sampleBatch(seed: number): string {
  return `bat_${seed}`
}

/** The completed session of these steps. */
export function sampleSession(
  { seed = 1, leaf = 'record', erased = false, ...times }: SampleEvidence,
  steps: readonly StepView[],
): SessionView {
  const { startedAt } = sampleTimes(times)
  const endedAt = steps
    .map((step) => step.endedAt)
    .reduce((a, b) => (a > b ? a : b), iso(startedAt))
  return {
    sessionId: `claim-2026-${String(seed).padStart(5, '0')}`,
    applicationId: 'app_sample',
    origin: leaf === 'submitted' ? 'submission' : 'otlp',
    status: 'completed',
    startedAt: iso(startedAt),
    endedAt,
    durationMs: Date.parse(endedAt) - startedAt,
    dataSubjectId: 'sub_sample',
    agent: { name: 'claims-agent', version: '2.3.1' },
    models: [...new Set(steps.flatMap(({ model }) => model ?? []))],
    metadata: null,
    stepCount: steps.length,
    errorCount: steps.filter(({ status }) => status === 'error').length,
    inputTokens: steps.reduce((sum, step) => sum + (step.inputTokens ?? 0), 0),
    outputTokens: steps.reduce((sum, step) => sum + (step.outputTokens ?? 0), 0),
    qualityScore: 87.5,
    openFlags: 1,
    openReviewCases: 0,
    reviewState: 'approved',
    revision: 1,
    sealed: leaf === null ? null : { batchId: sampleBatch(seed), leafIndex: 2 },
    payloadStatus: erased ? 'erased' : 'readable',
    incompleteAtSource: false,
    receivedAt: iso(startedAt + 4_000),
    completedAt: iso(startedAt + 90_000),
    removeAfter: iso(startedAt + 365 * 86_400_000),
  }
}

/** A rule that asks for a review of this step. */
export function samplePolicyResult(step: StepView, at: number, seed: number): EvidencePolicyResult {
  return {
    ruleId: `rule_${at % 4}`,
    ruleVersion: 3,
    ruleName: 'Transfers above 1,000 EUR',
    effect: 'require_review',
    severity: 'warning',
    source: 'service',
    stepId: step.stepId,
    matchedAt: step.endedAt,
    reviewCaseId: `rc_${seed}_${at}`,
  }
}

/** The decided case of a policy result, without its seal. */
export function sampleCase(
  result: EvidencePolicyResult,
  session: SessionView,
  at: number,
  { erased = false, ...times }: SampleEvidence,
): SampleCase {
  const { startedAt, closedAt: first } = sampleTimes(times)
  const decision = at % 3 === 1 ? 'rejected' : 'approved'
  const presentation = { title: `Settle claim ${at + 1}`, amount: 1_200 + at }
  const comment = 'Invoice and policy agree.'
  const nonce = digestOf(['nonce', at])
  const closedAt = iso(first + at * 60_000)
  const reviewer = 'member:mem_2'
  const stepOf = (caseVersion: number, eventSequence: number, step: string, actor: string) => {
    return { caseVersion, eventSequence, step, actor }
  }
  return {
    schemaVersion: 1,
    reviewCaseId: result.reviewCaseId ?? '',
    tenantId: 'ten_sample',
    applicationId: 'app_sample',
    sessionId: session.sessionId,
    stepId: result.stepId,
    caseVersion: 3,
    eventSequence: 4,
    decision,
    reviewTier: tiers[at % tiers.length] ?? 'standard',
    dueAt: iso(startedAt + 3_600_000),
    expiresAt: iso(startedAt + 86_400_000),
    reasonCategory: 'policy_requires_human_review',
    cancellationReason: null,
    presentation: erased ? null : presentation,
    presentationDigest: digestOf(presentation),
    caseUrl: `https://ingest.example.com/v1/review-cases/${result.reviewCaseId ?? ''}`,
    state: 'decided',
    assignment: { reviewerId: 'mem_2', assignedAt: iso(startedAt + 600_000) },
    overdueAt: null,
    createdAt: result.matchedAt,
    updatedAt: closedAt,
    closedAt,
    decidedBy: 'mem_2',
    reviewer: { name: 'Ada Okafor', role: 'CustomerAuditor', signIn: 'password' },
    reviewerComment: erased ? null : comment,
    commentDigest: digestOf([nonce, comment]),
    response: null,
    responseDigest: null,
    nonces: { comment: erased ? null : nonce, response: null },
    decisionSignature: null,
    followUps: [],
    policyResults: [],
    checkpoint: { checkpointId: result.stepId ?? '' },
    requestedBy: null,
    callback: { state: 'received', attempts: 1, lastAttemptAt: iso(startedAt + 901_000) },
    continuation: { outcome: 'resumed', reportedAt: iso(startedAt + 902_000), detail: null },
    history: [
      { ...stepOf(1, 1, 'created', 'system'), at: result.matchedAt },
      { ...stepOf(2, 2, 'claimed', reviewer), at: iso(startedAt + 600_000) },
      { ...stepOf(3, 3, 'decided', reviewer), at: closedAt },
      { ...stepOf(3, 4, 'continuation_reported', 'application:app_sample'), at: closedAt },
    ],
  }
}
