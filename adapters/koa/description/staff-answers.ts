import * as z from 'zod'
import { cursor, paging, time } from './answer-parts.ts'

export const tenantDeletionAnswer = z.strictObject({
  tenantId: z.string(),
  state: z.enum(['active', 'pending_deletion', 'purging', 'deleted']),
  requestedAt: time.nullable(),
  purgeAt: time.nullable(),
  applications: z.array(z.strictObject({ applicationId: z.string(), lifecycleState: z.string() })),
})

export const poisonAnswer = z.strictObject({
  messageId: z.string(),
  tenantId: z.string(),
  applicationId: z.string(),
  step: z.int().min(1).max(6),
  attempts: z.int().nonnegative(),
  lastError: z.string().nullable(),
  firstFailedAt: time.nullable(),
  state: z.enum(['queued', 'poisoned', 'resolved']),
})

export const poisonListAnswer = z.union([
  z.strictObject({ messages: z.array(poisonAnswer), ...paging }),
  z.strictObject({ rows: z.array(poisonAnswer), ...cursor }),
])
