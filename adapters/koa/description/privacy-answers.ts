import * as z from 'zod'
import { time } from './answer-parts.ts'
import { signatures } from './evidence-answers.ts'

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
