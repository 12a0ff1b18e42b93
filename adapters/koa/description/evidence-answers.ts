import { applicationStages, effects, severities } from '@countersign/core'
import { evidenceCaseShape } from '@countersign/core/operations'
import * as z from 'zod'
import { answerSchema } from '../bind/schema.ts'
import { fileBytes } from '../download.ts'
import { count, hash, time } from './answer-parts.ts'
import {
  anchorAnswer,
  proofAnswer,
  scoreAnswer,
  sessionAnswer,
  stepAnswer,
} from './session-answers.ts'
import { annotationAnswer, flagAnswer, sessionReviewAnswer } from './signal-answers.ts'

const id = z.string()

/** Signatures of a document by evidence keys. */
export const signatures = z.array(
  z.strictObject({ keyId: z.string(), alg: z.literal('Ed25519'), sig: z.string() }),
)

const policyResult = z.strictObject({
  ruleId: id,
  ruleVersion: z.int().nullable(),
  ruleName: z.string(),
  effect: z.enum(effects),
  severity: z.enum(severities),
  source: z.enum(['service', 'application']),
  stepId: id.nullable(),
  matchedAt: time,
  reviewCaseId: id.nullable(),
  late: z.literal(true).optional(),
})

const merkle = proofAnswer.pick({
  batchId: true,
  leafIndex: true,
  treeSize: true,
  inclusionPath: true,
  merkleRoot: true,
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
  anchor: anchorAnswer.nullable(),
  earlier: z.array(
    z.strictObject({
      revision: z.int().min(1),
      leafHash: hash,
      merkle,
      anchor: anchorAnswer.nullable(),
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
  application: z.strictObject({
    applicationId: id,
    name: z.string(),
    stage: z.enum(applicationStages),
  }),
  session: sessionAnswer,
  steps: z.array(stepAnswer),
  policyResults: z.array(policyResult),
  reviewCases: z.array(answerSchema(evidenceCaseShape)),
  sessionReviews: z.array(sessionReviewAnswer),
  annotations: z.array(annotationAnswer),
  flags: z.array(flagAnswer),
  scores: z.array(scoreAnswer.extend({ stepId: id.nullable() })),
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
    proof: proofAnswer,
    statement: z.string(),
    signatures,
  }),
  fileBytes,
])
