import type { SessionView, StepView } from '../content/view.ts'
import type { EvidenceDocument } from '../evidence/model.ts'
import { payloadDigestOf } from '../proof/commitment.ts'
import { type EvidenceSigner, signDocument } from '../proof/sign.ts'
import { thumbprintOf } from '../proof/signed-text.ts'
import { base64Url } from '../proof/signing/encoding.ts'
import { portablePrimitives } from '../proof/signing/portable.ts'
import type {
  EvidencePolicyResult,
  EvidenceScore,
  SessionRecord,
} from '../sessions/seal/session-record.ts'
import { sampleRecord, sampleSeals } from './sample-seals.ts'
import {
  iso,
  type SampleEvidence,
  sampleCase,
  samplePolicyResult,
  sampleSession,
  sampleSteps,
  sampleTimes,
} from './sample-session.ts'
import { seededRandom } from './seeded-random.ts'

/** An evidence key made from 32 bytes, and its public half as a JWK. */
export function sampleEvidenceKey(seed: Uint8Array): EvidenceSigner & { readonly jwk: object } {
  const publicKey = portablePrimitives.ed25519PublicKey(seed)
  const keyId = thumbprintOf(publicKey)
  return {
    keyId,
    sign: portablePrimitives.ed25519Signer(seed),
    jwk: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: base64Url(publicKey),
      kid: keyId,
      use: 'sig',
      alg: 'EdDSA',
    },
  }
}

/** A signed evidence document of an invented session; the same options, the same bytes. */
export function sampleEvidence(options: SampleEvidence = {}): EvidenceDocument {
  const { seed = 1, leaf = 'record', erased = false, key = new Uint8Array(32).fill(7) } = options
  const { startedAt, anchoredAt } = sampleTimes(options)
  const random = seededRandom(seed)
  const signer = sampleEvidenceKey(key)
  const clear = sampleSteps(random, options)
  const steps = erased
    ? clear.map((step) => ({ ...step, payload: null, payloadStatus: 'erased' as const }))
    : clear
  const policyResults = clear.flatMap((step, at) =>
    at % 3 === 2 ? [samplePolicyResult(step, at, seed)] : [],
  )
  const scores: EvidenceScore[] = [
    { name: 'groundedness', value: 0.93, label: 'pass', stepId: null },
  ]
  const session = sampleSession(options, clear)
  const head = {
    tenantId: 'ten_sample',
    application: {
      applicationId: 'app_sample',
      name: 'Claims assistant',
      stage: 'production' as const,
    },
  }
  const { caseOf = (review) => review } = options
  const cases = policyResults.map((result, at) => caseOf(sampleCase(result, session, at, options)))
  const sealed = sampleSeals(random, {
    seed,
    leaf,
    erased,
    signer,
    record: () => recordOf(head, session, clear, policyResults, scores),
    submitted: () => submissionOf(session, clear, scores),
    cases: cases.map(sampleRecord),
    anchoredAt,
  })
  const document = {
    evidenceVersion: '1.0' as const,
    generatedAt: iso(startedAt + 86_400_000),
    asOf: iso(startedAt + 7_200_000),
    tenantId: head.tenantId,
    organizationName: 'Ravenna Insurance Group',
    application: head.application,
    session,
    steps,
    policyResults,
    reviewCases: cases.flatMap((each, at) => {
      const integrity = sealed.cases[at]
      return integrity ? [{ ...each, integrity }] : []
    }),
    sessionReviews: [
      {
        sessionReviewId: 'rev_1',
        sessionId: session.sessionId,
        revision: 1,
        leafHash: null,
        decision: 'approved' as const,
        comment: erased ? null : 'Checked against the claim file.',
        reviewerId: 'mem_2',
        reviewerName: 'Ada Okafor',
        reviewedAt: iso(startedAt + 7_000_000),
      },
    ],
    annotations: [
      {
        annotationId: 'ann_1',
        sessionId: session.sessionId,
        stepId: clear[0]?.stepId ?? null,
        label: 'follow-up',
        text: erased ? null : 'Ask the customer for the second invoice.',
        createdBy: 'mem_2',
        createdAt: iso(startedAt + 6_000_000),
      },
    ],
    flags: [
      {
        flagId: 'flag_1',
        flag: 'compliance' as const,
        severity: 'warning' as const,
        note: erased ? null : 'Amount above the limit of the tier.',
        source: 'policy' as const,
        raisedBy: null,
        raisedAt: iso(startedAt + 60_000),
        clearedBy: null,
        clearedAt: null,
      },
    ],
    scores,
    integrity: sealed.session,
    erasure: {
      erasedSubjects: erased ? ['sub_sample'] : [],
      payloadsUnreadable: erased ? clear.length : 0,
    },
    signatures: [],
  }
  return signDocument(document, signer)
}

function recordOf(
  head: Pick<EvidenceDocument, 'tenantId' | 'application'>,
  session: SessionView,
  steps: readonly StepView[],
  policyResults: readonly EvidencePolicyResult[],
  scores: readonly EvidenceScore[],
): SessionRecord {
  return {
    recordVersion: '1.0',
    tenantId: head.tenantId,
    applicationId: head.application.applicationId,
    sessionId: session.sessionId,
    revision: session.revision,
    status: session.status,
    startedAt: session.startedAt,
    endedAt: session.endedAt ?? session.startedAt,
    agent: session.agent,
    steps: steps.map((step) => ({
      ...statedOf(step),
      late: step.late,
      payloads: Object.entries(step.payload?.nonces ?? {}).map(([field, nonce]) => ({
        field,
        ...payloadDigestOf(nonce, Reflect.get(step.payload ?? {}, field)),
      })),
    })),
    policyResults,
    scores,
  }
}

/** What the source stated of a step, beside its content. */
function statedOf(step: Omit<StepView, 'payload'>) {
  const { stepId, parentStepId, type, name, startedAt, endedAt, status } = step
  const { model, inputTokens, outputTokens, toolName } = step
  return {
    stepId,
    parentStepId,
    type,
    name,
    startedAt,
    endedAt,
    status,
    model,
    inputTokens,
    outputTokens,
    toolName,
  }
}

/** The session as an application would have submitted it. */
function submissionOf(
  session: SessionView,
  steps: readonly StepView[],
  scores: readonly EvidenceScore[],
): object {
  const { sessionId, startedAt, endedAt, status, agent } = session
  return {
    sessionId,
    startedAt,
    endedAt,
    status,
    agent,
    scores,
    dataSubjectId: 'customer-1',
    steps: steps.map(({ payload, ...step }) => ({
      ...statedOf(step),
      attributes: payload?.attributes,
      input: payload?.input,
      output: payload?.output,
    })),
  }
}
