import { effects, stepTypes } from '@countersign/core'
import { reasonGroups, reviewTiers } from '@countersign/core/events'
import { ingestLimits, longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'

const line = (upTo: number) => z.string().min(1).max(upTo)
const time = z.iso.datetime({ offset: true })
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const members = z.record(z.string(), z.unknown())

const step = z.looseObject({
  stepId: id,
  parentStepId: id.nullish(),
  type: z.enum(stepTypes),
  name: line(longest.name),
  startedAt: time,
  endedAt: time,
  status: z.enum(['ok', 'error']),
  model: id.nullish(),
  inputTokens: count.nullish(),
  outputTokens: count.nullish(),
  toolName: id.nullish(),
  dataSubjectId: id.nullish(),
  dataCategories: z.array(id).max(ingestLimits.attributesPerStep).nullish(),
  checkpointId: id.nullish(),
  attributes: members.nullish(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
})

const policyResult = z.looseObject({
  ruleId: id,
  ruleName: id.nullish(),
  effect: z.enum(effects),
  stepId: id.nullish(),
  reasonCategory: z.enum([...reasonGroups.why, ...reasonGroups.else]).nullish(),
  reviewTier: z.enum(reviewTiers).nullish(),
})

const score = z.looseObject({
  name: line(longest.name),
  value: z.number(),
  label: id.nullish(),
  stepId: id.nullish(),
})

const session = z.looseObject({
  sessionId: id,
  startedAt: time,
  endedAt: time,
  status: z.enum(['completed', 'failed']),
  dataSubjectId: id.nullish(),
  agent: z.looseObject({ name: line(longest.name), version: id.nullish() }).nullish(),
  metadata: members.nullish(),
  steps: z.array(step).max(ingestLimits.stepsPerSubmission),
  policyResults: z.array(policyResult).max(ingestLimits.resultsPerSubmission).nullish(),
  scores: z.array(score).max(ingestLimits.resultsPerSubmission).nullish(),
})

/**
 * What the description says of a submission. Sessions are hashed as they were sent, so the core reads and checks the
 * bytes themselves; a test compares the two.
 */
export const submission = z.looseObject({
  batchId: line(ingestLimits.batchId),
  merkleRoot: z.string().regex(/^[0-9a-f]{64}$/),
  sessions: z.array(session).min(1).max(ingestLimits.sessionsPerBatch),
})
