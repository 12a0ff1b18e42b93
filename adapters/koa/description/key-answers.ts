import { customerKeyTypes } from '@countersign/core/access'
import * as z from 'zod'
import { paging, time } from './answer-parts.ts'

export const customerKeyAnswer = z.strictObject({
  keyId: z.string(),
  prefix: z.string(),
  applicationId: z.string(),
  type: z.enum(customerKeyTypes),
  createdAt: time,
  createdBy: z.string(),
  lastUsedAt: time.nullable(),
  status: z.enum(['Active', 'Revoked']),
  revokedAt: time.nullable(),
  rotationDueAt: time.nullable(),
  unused30d: z.boolean(),
})

export const newCustomerKeyAnswer = customerKeyAnswer.extend({ value: z.string() })

export const customerKeysAnswer = z.strictObject({
  customerKeys: z.array(customerKeyAnswer),
  ...paging,
})
