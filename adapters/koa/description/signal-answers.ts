import { flagKinds, severities } from '@countersign/core'
import * as z from 'zod'
import { time } from './answer-parts.ts'

// Flags, annotations and session reviews in evidence documents; those of operations follow from these.

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

export const annotationAnswer = z.strictObject({
  annotationId: z.string(),
  sessionId: z.string(),
  stepId: z.string().nullable(),
  label: z.string().nullable(),
  text: z.string().nullable(),
  createdBy: z.string(),
  createdAt: time,
})

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
