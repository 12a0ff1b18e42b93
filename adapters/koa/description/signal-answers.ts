import {
  detectables,
  effects,
  flagKinds,
  operators,
  redactedFields,
  redactionActions,
  severities,
  stepTypes,
} from '@countersign/core'
import { reasonGroups, reviewTiers } from '@countersign/core/events'
import * as z from 'zod'
import { count, cursor, paging, time } from './answer-parts.ts'

// What operations on rules, flags, annotations, session reviews and scores answer with; `answers.ts` says of what kind.

const texts = z.array(z.string())
const scalar = z.union([z.string(), z.number(), z.boolean()])
const saved = { updatedAt: time.nullable(), updatedBy: z.string().nullable() }

export const policyRuleAnswer = z.strictObject({
  ruleId: z.string(),
  version: z.int().min(1),
  name: z.string(),
  enabled: z.boolean(),
  match: z.strictObject({
    stepTypes: z.array(z.enum(stepTypes)),
    toolNames: texts,
    attributes: z.array(
      z.strictObject({
        key: z.string(),
        op: z.enum(operators),
        value: z.union([scalar, z.array(scalar)]),
      }),
    ),
    dataCategories: texts,
  }),
  effect: z.enum(effects),
  severity: z.enum(severities),
  reasonCategory: z.enum([...reasonGroups.why, ...reasonGroups.else]),
  reviewTier: z.enum(reviewTiers),
  dueInSeconds: count.nullable(),
  expiresInSeconds: count.nullable(),
})

export const policyRulesAnswer = z.strictObject({
  ruleSetVersion: count,
  rules: z.array(policyRuleAnswer),
  ...saved,
})

export const redactionPoliciesAnswer = z.strictObject({
  policies: z.array(
    z.strictObject({
      redactionPolicyId: z.string(),
      name: z.string(),
      enabled: z.boolean(),
      stepTypes: z.array(z.enum(stepTypes)),
      fields: z.array(z.enum(redactedFields)),
      keys: texts,
      detect: z.enum(detectables),
      action: z.enum(redactionActions),
    }),
  ),
  ...saved,
})

export const ingestRulesAnswer = z.strictObject({
  sessionAttribute: z.string().nullable(),
  subjectAttribute: z.string().nullable(),
  dropAttributes: texts,
  ...saved,
})

export const flagAnswer = z.strictObject({
  flagId: z.string(),
  flag: z.enum(flagKinds),
  severity: z.enum(severities),
  note: z.string().nullable(),
  source: z.enum(['member', 'policy', 'score']),
  raisedBy: z.string().nullable(),
  raisedAt: time,
  clearedBy: z.string().nullable(),
  clearedAt: time.nullable(),
})

export const flagsAnswer = z.union([
  z.strictObject({ flags: z.array(flagAnswer), ...paging }),
  z.strictObject({ rows: z.array(flagAnswer), ...cursor }),
])

export const annotationAnswer = z.strictObject({
  annotationId: z.string(),
  sessionId: z.string(),
  stepId: z.string().nullable(),
  label: z.string().nullable(),
  text: z.string().nullable(),
  createdBy: z.string(),
  createdAt: time,
})

export const annotationsAnswer = z.union([
  z.strictObject({ annotations: z.array(annotationAnswer), ...paging }),
  z.strictObject({ rows: z.array(annotationAnswer), ...cursor }),
])

export const sessionReviewAnswer = z.strictObject({
  sessionReviewId: z.string(),
  sessionId: z.string(),
  revision: z.int().min(1),
  leafHash: z.string().nullable(),
  decision: z.enum(['approved', 'rejected']),
  comment: z.string().nullable(),
  reviewerId: z.string(),
  reviewerName: z.string(),
  reviewedAt: time,
})

export const sessionReviewsAnswer = z.union([
  z.strictObject({ sessionReviews: z.array(sessionReviewAnswer), ...paging }),
  z.strictObject({ rows: z.array(sessionReviewAnswer), ...cursor }),
])

export const scoresAnswer = z.strictObject({
  scorer: z.string(),
  governance: z.number().min(0).max(100).nullable(),
  components: z.record(z.string(), z.number()),
  qualityMean: z.number().nullable(),
  sessions: count,
  computedAt: time.nullable(),
})
