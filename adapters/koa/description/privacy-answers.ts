import { erasureReasons } from '@countersign/core'
import * as z from 'zod'
import { count, cursor, paging, time } from './answer-parts.ts'
import { signatures } from './evidence-answers.ts'

export const subjectAnswer = z.strictObject({
  dataSubjectId: z.string(),
  applicationIds: z.array(z.string()),
  sessionCount: count,
  activeHolds: count,
})

const counts = z.strictObject({
  applications: count,
  sessions: count,
  payloads: count,
  cases: count,
  annotations: count,
})

export const erasureAnswer = z.strictObject({
  erasureRequestId: z.string(),
  dataSubjectId: z.string(),
  applicationId: z.string().nullable(),
  reason: z.enum(erasureReasons),
  status: z.enum(['received', 'scheduled', 'blocked_by_hold', 'completed', 'rejected']),
  waitingFor: z.enum(['hold', 'callback']).nullable(),
  requestedBy: z.string(),
  requestedAt: time,
  completedAt: time.nullable(),
  counts: counts.nullable(),
  certificateUrl: z.string().nullable(),
})

export const erasuresAnswer = z.union([
  z.strictObject({ erasureRequests: z.array(erasureAnswer), ...paging }),
  z.strictObject({ rows: z.array(erasureAnswer), ...cursor }),
])

/** The certificate of an erasure. */
export const erasureCertificateAnswer = z.strictObject({
  certificateVersion: z.literal('1.0'),
  certificateType: z.literal('erasure'),
  organizationName: z.string(),
  tenantId: z.string(),
  erasureRequestId: z.string(),
  dataSubjectId: z.string(),
  applicationIds: z.array(z.string()),
  requestedAt: time,
  completedAt: time,
  method: z.literal('crypto-shredding'),
  counts: z.record(z.string(), z.number()),
  retained: z.array(z.string()),
  signatures,
})

export const holdAnswer = z.strictObject({
  holdId: z.string(),
  dataSubjectId: z.string(),
  applicationId: z.string().nullable(),
  matter: z.string(),
  placedBy: z.string(),
  placedAt: time,
  releasedAt: time.nullable(),
  releasedBy: z.string().nullable(),
  releaseReason: z.string().nullable(),
})

export const holdsAnswer = z.union([
  z.strictObject({ legalHolds: z.array(holdAnswer), ...paging }),
  z.strictObject({ rows: z.array(holdAnswer), ...cursor }),
])
