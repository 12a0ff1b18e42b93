import { signingUses } from '@countersign/core'
import { customerKeyTypes } from '@countersign/core/access'
import * as z from 'zod'
import { cursor, paging, position, time } from './answer-parts.ts'

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

export const customerKeysAnswer = z.union([
  z.strictObject({ customerKeys: z.array(customerKeyAnswer), ...paging }),
  z.strictObject({ rows: z.array(customerKeyAnswer), ...cursor }),
])

/** A customer key as staff sees it. */
export const staffCustomerKeyAnswer = customerKeyAnswer.extend({
  tenantId: z.string(),
  ratePerMinute: z.int().min(1).nullable(),
})

export const signingKeyAnswer = z.strictObject({
  use: z.enum(signingUses),
  keyVersion: position,
  publicKey: z.string(),
  signsFrom: time,
  previousSignsUntil: time.nullable(),
})

export const signingKeysAnswer = z.strictObject({ signingKeys: z.array(signingKeyAnswer) })
