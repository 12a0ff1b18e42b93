import { stepTypes } from '@countersign/core'
import * as z from 'zod'
import { count, hash, time } from './answer-parts.ts'

// What evidence has of sessions; `pins.ts` holds it to the core's views.

const session = z.strictObject({
  sessionId: z.string(),
  applicationId: z.string(),
  origin: z.enum(['otlp', 'submission']),
  status: z.enum(['running', 'completed', 'failed']),
  startedAt: time,
  endedAt: time.nullable(),
  durationMs: count.nullable(),
  dataSubjectId: z.string().nullable(),
  agent: z.strictObject({ name: z.string(), version: z.string().nullable() }).nullable(),
  models: z.array(z.string()),
  metadata: z.unknown(),
  stepCount: count,
  errorCount: count,
  inputTokens: count,
  outputTokens: count,
  qualityScore: z.number().min(0).max(100).nullable(),
  openFlags: count,
  openReviewCases: count,
  reviewState: z.enum(['approved', 'rejected']).nullable(),
  revision: z.int().min(1),
  sealed: z.strictObject({ batchId: z.string(), leafIndex: count }).nullable(),
  payloadStatus: z.enum(['readable', 'partly_erased', 'erased', 'none']),
  receivedAt: time,
  completedAt: time.nullable(),
  removeAfter: time.nullable(),
})
export const sessionAnswer = session

/** A score that came with the data. */
export const scoreAnswer = z.strictObject({
  name: z.string(),
  value: z.number(),
  label: z.string().nullable(),
})

const step = z.strictObject({
  stepId: z.string(),
  parentStepId: z.string().nullable(),
  type: z.enum(stepTypes),
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
  scores: z.array(scoreAnswer),
  /** Null in lists, and where nothing can be read. */
  payload: z
    .strictObject({
      input: z.unknown(),
      output: z.unknown(),
      attributes: z.unknown(),
      nonces: z.record(z.string(), hash),
    })
    .nullable(),
  payloadStatus: z.enum(['readable', 'erased', 'none']),
})
export const stepAnswer = step

/** The members of a ledger's entry are null while the batch waits for it. */
export const anchorAnswer = z.strictObject({
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
  status: z.enum(['pending', 'recorded', 'submitted', 'included']),
})

export const proofAnswer = z.strictObject({
  sessionId: z.string(),
  applicationId: z.string(),
  revision: z.int().min(1),
  hashAlgorithm: z.literal('rfc9162-sha256'),
  batchId: z.string(),
  leafIndex: count,
  treeSize: z.int().min(1),
  leafHash: hash,
  inclusionPath: z.array(hash),
  merkleRoot: hash,
  anchor: anchorAnswer,
})
