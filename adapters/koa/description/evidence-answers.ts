import * as z from 'zod'
import { fileBytes } from '../download.ts'
import { caseAnswer } from './answers.ts'

const time = z.iso.datetime({ precision: 3 })
const count = z.int().min(0)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const id = z.string()
const effect = z.enum(['allow', 'deny', 'require_review'])
const severity = z.enum(['info', 'warning', 'critical'])

const signatures = z.array(
  z.strictObject({ keyId: z.string(), alg: z.literal('Ed25519'), sig: z.string() }),
)

const agent = z.strictObject({ name: z.string(), version: z.string().nullable() })

const session = z.strictObject({
  sessionId: id,
  applicationId: id,
  origin: z.enum(['otlp', 'submission']),
  status: z.enum(['running', 'completed', 'failed']),
  startedAt: time,
  endedAt: time.nullable(),
  durationMs: count.nullable(),
  dataSubjectId: z.string().nullable(),
  agent: agent.nullable(),
  models: z.array(z.string()),
  metadata: z.unknown(),
  stepCount: count,
  errorCount: count,
  inputTokens: count,
  outputTokens: count,
  qualityScore: z.number().nullable(),
  openFlags: count,
  openReviewCases: count,
  reviewState: z.enum(['approved', 'rejected']).nullable(),
  revision: z.int().min(1),
  sealed: z.strictObject({ batchId: id, leafIndex: count }).nullable(),
  payloadStatus: z.enum(['readable', 'partly_erased', 'erased', 'none']),
  receivedAt: time,
  completedAt: time.nullable(),
  removeAfter: time.nullable(),
})

const score = z.strictObject({
  name: z.string(),
  value: z.number(),
  label: z.string().nullable(),
})

const step = z.strictObject({
  stepId: id,
  parentStepId: id.nullable(),
  type: z.enum(['llm', 'tool', 'retrieval', 'agent', 'guardrail', 'human', 'other']),
  name: z.string(),
  startedAt: time,
  endedAt: time,
  status: z.enum(['ok', 'error']),
  model: z.string().nullable(),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  toolName: z.string().nullable(),
  dataSubjectId: z.string().nullable(),
  dataCategories: z.array(z.string()),
  checkpointId: z.string().nullable(),
  late: z.boolean(),
  truncated: z.boolean(),
  redactions: count,
  scores: z.array(score),
  payload: z
    .strictObject({
      input: z.unknown(),
      output: z.unknown(),
      attributes: z.unknown(),
      nonces: z.record(z.string(), z.string()),
    })
    .nullable(),
  payloadStatus: z.enum(['readable', 'erased', 'none']),
})

const policyResult = z.strictObject({
  ruleId: id,
  ruleVersion: z.int().nullable(),
  ruleName: z.string(),
  effect,
  severity,
  source: z.enum(['service', 'application']),
  stepId: id.nullable(),
  matchedAt: time,
  reviewCaseId: id.nullable(),
})

const anchor = z.strictObject({
  anchorVersion: z.literal('1.0').nullable(),
  ledger: z.string().nullable(),
  sequence: z.int().min(1).nullable(),
  commitment: hash.nullable(),
  previousHash: hash.nullable(),
  anchoredAt: time.nullable(),
  keyId: z.string().nullable(),
  signature: z.string().nullable(),
  entryHash: hash.nullable(),
  nonce: hash.nullable(),
  status: z.enum(['pending', 'recorded']),
})

const merkle = z.strictObject({
  batchId: id,
  leafIndex: count,
  treeSize: count,
  inclusionPath: z.array(hash),
  merkleRoot: hash,
})

const integrity = z.strictObject({
  canonicalization: z.literal('RFC8785'),
  hashAlgorithm: z.literal('rfc9162-sha256'),
  revision: z.int().min(1),
  leafSource: z.enum(['submitted', 'record']).nullable(),
  leafInput: z.unknown(),
  leafInputStatus: z.enum(['present', 'erased', 'redacted', 'not_sealed']),
  leafHash: hash.nullable(),
  merkle: merkle.nullable(),
  anchor: anchor.nullable(),
  earlier: z.array(
    z.strictObject({
      revision: z.int().min(1),
      leafHash: hash,
      merkle,
      anchor: anchor.nullable(),
    }),
  ),
})

/** The evidence document of a session (interface, Evidence document). */
export const evidenceAnswer = z.strictObject({
  evidenceVersion: z.literal('1.0'),
  generatedAt: time,
  asOf: time,
  tenantId: id,
  organizationName: z.string(),
  application: z.strictObject({ applicationId: id, name: z.string(), stage: z.string() }),
  session,
  steps: z.array(step),
  policyResults: z.array(policyResult),
  reviewCases: z.array(
    caseAnswer.omit({ presentation: true, checkpoint: true }).extend({
      checkpoint: z.strictObject({ checkpointId: z.string() }),
    }),
  ),
  sessionReviews: z.array(
    z.strictObject({
      sessionReviewId: id,
      sessionId: id,
      revision: z.int().min(1),
      leafHash: hash.nullable(),
      decision: z.enum(['approved', 'rejected']),
      comment: z.string().nullable(),
      reviewerId: id,
      reviewerName: z.string(),
      reviewedAt: time,
    }),
  ),
  annotations: z.array(
    z.strictObject({
      annotationId: id,
      sessionId: id,
      stepId: id.nullable(),
      label: z.string().nullable(),
      text: z.string().nullable(),
      createdBy: id,
      createdAt: time,
    }),
  ),
  flags: z.array(
    z.strictObject({
      flagId: id,
      flag: z.enum(['quality', 'safety', 'privacy', 'compliance', 'other']),
      severity,
      note: z.string().nullable(),
      source: z.enum(['member', 'policy', 'score']),
      raisedBy: id.nullable(),
      raisedAt: time,
      clearedBy: id.nullable(),
      clearedAt: time.nullable(),
    }),
  ),
  scores: z.array(score.extend({ stepId: id.nullable() })),
  integrity,
  erasure: z.strictObject({ erasedSubjects: z.array(z.string()), payloadsUnreadable: count }),
  signatures,
})

/** A session's certificate, or its printed form. */
export const certificateAnswer = z.union([
  z.strictObject({
    certificateVersion: z.literal('1.0'),
    certificateType: z.literal('session-anchor'),
    issuedAt: time,
    organizationName: z.string(),
    tenantId: id,
    leafDefinition: z.string(),
    commitmentDefinition: z.string(),
    proof: merkle.extend({
      sessionId: id,
      applicationId: id,
      revision: z.int().min(1),
      hashAlgorithm: z.literal('rfc9162-sha256'),
      leafHash: hash,
      anchor,
    }),
    statement: z.string(),
    signatures,
  }),
  fileBytes,
])

/** A package whose copy can be downloaded. */
export const packageAnswer = z.strictObject({
  packageId: id,
  packType: z.enum(['bulk', 'auditor', 'subject']),
  fileName: z.string(),
  mediaType: z.string(),
  bytes: count,
  sha256: hash,
  sessionCount: count,
  createdAt: time,
  expiresAt: time,
  downloadUrl: z.string(),
  applicationIds: z.array(id),
  createdBy: id,
})

export const packagesAnswer = z.strictObject({
  packages: z.array(packageAnswer),
  totalCount: count,
  page: z.int().min(1),
  pageSize: count,
  hasMore: z.boolean(),
})
