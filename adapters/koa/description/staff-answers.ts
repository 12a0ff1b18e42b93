import * as z from 'zod'
import { time } from './answer-parts.ts'

/** An organization as staff sees it. */
export const tenantStatusAnswer = z.strictObject({
  tenantId: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  createdAt: time,
  statusReason: z.string().nullable(),
  statusChangedBy: z.string().nullable(),
  statusChangedAt: time.nullable(),
})
