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
import { longest, most } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'
import { isOnePart, listParameters, onePart } from './schemas.ts'

const text = (upTo: number) => z.string().min(1).max(upTo)
const patterns = z.array(text(longest.pattern)).max(most.patterns)
const scalar = z.union([z.string().max(longest.conditionValue), z.number(), z.boolean()])
const seconds = z.number().int().min(1)

const condition = z.strictObject({
  key: text(longest.pattern),
  op: z.enum(operators),
  value: z.union([scalar, z.array(scalar).max(most.conditionValues)]),
})

const match = z.strictObject({
  stepTypes: z.array(z.enum(stepTypes)).optional(),
  toolNames: patterns.optional(),
  attributes: z.array(condition).max(most.conditions).optional(),
  dataCategories: patterns.optional(),
})

const rule = z.strictObject({
  ruleId: id.optional(),
  version: z.number().int().min(1).optional(),
  name: text(longest.name),
  enabled: z.boolean().optional(),
  match: match.optional(),
  effect: z.enum(effects),
  severity: z.enum(severities).optional(),
  reasonCategory: z.enum([...reasonGroups.why, ...reasonGroups.else]).optional(),
  reviewTier: z.enum(reviewTiers).optional(),
  dueInSeconds: seconds.nullish(),
  expiresInSeconds: seconds.nullish(),
})

export const policyRules = z.strictObject({
  ruleSetVersion: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  rules: z.array(rule).max(most.policyRules),
})

const redactionPolicy = z.strictObject({
  redactionPolicyId: id.optional(),
  name: text(longest.name),
  enabled: z.boolean().optional(),
  stepTypes: z.array(z.enum(stepTypes)).optional(),
  fields: z.array(z.enum(redactedFields)).optional(),
  keys: patterns.optional(),
  detect: z.enum(detectables),
  action: z.enum(redactionActions),
})

export const redactionPolicies = z.strictObject({
  policies: z.array(redactionPolicy).max(most.redactionPolicies),
})

export const ingestRules = z.strictObject({
  sessionAttribute: text(longest.pattern).nullish(),
  subjectAttribute: text(longest.pattern).nullish(),
  dropAttributes: patterns.optional(),
})

const applicationId = id.optional()
export const sessionPartQuery = z
  .strictObject({ ...listParameters, applicationId })
  .refine(isOnePart, onePart)

export const raiseFlag = z.strictObject({
  flag: z.enum(flagKinds),
  severity: z.enum(severities).optional(),
  note: text(longest.note).nullish(),
})

export const annotate = z.strictObject({
  text: text(longest.text),
  stepId: id.nullish(),
  label: text(longest.label).nullish(),
})

export const reviewSession = z.strictObject({
  decision: z.enum(['approved', 'rejected']),
  comment: text(longest.comment).nullish(),
})
