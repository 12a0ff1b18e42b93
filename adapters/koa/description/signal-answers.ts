import { flagKinds, severities } from '@countersign/core'
import * as z from 'zod'
import { count, cursor, paging, time } from './answer-parts.ts'

// What operations on flags, annotations, session reviews and scores answer with; `answers.ts` says of what kind.

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
