import { keyRequestActions, keyRequestStatuses, signingUses } from '@countersign/core'
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

export const keyRequestAnswer = z.strictObject({
  id: z.string(),
  action: z.enum(keyRequestActions),
  applicationId: z.string().nullable(),
  type: z.enum(customerKeyTypes).nullable(),
  keyId: z.string().nullable(),
  status: z.enum(keyRequestStatuses),
  requestedBy: z.string(),
  requestedAt: time,
  executedBy: z.string().nullable(),
  executedAt: time.nullable(),
  reason: z.string(),
  staffReason: z.string().nullable(),
  result: z
    .strictObject({
      keyId: z.string().nullable(),
      revealUntil: time.nullable(),
      revealedAt: time.nullable(),
      failure: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
    })
    .nullable(),
})

export const keyRequestsAnswer = z.union([
  z.strictObject({ keyRequests: z.array(keyRequestAnswer), ...paging }),
  z.strictObject({ rows: z.array(keyRequestAnswer), ...cursor }),
])

/** A key request as staff sees it. */
export const staffKeyRequestAnswer = keyRequestAnswer.extend({ tenantId: z.string() })

export const staffKeyRequestsAnswer = z.union([
  z.strictObject({ keyRequests: z.array(staffKeyRequestAnswer), ...paging }),
  z.strictObject({ rows: z.array(staffKeyRequestAnswer), ...cursor }),
])

export const signingKeyAnswer = z.strictObject({
  use: z.enum(signingUses),
  keyVersion: position,
  publicKey: z.string(),
  signsFrom: time,
  previousSignsUntil: time.nullable(),
})

export const signingKeysAnswer = z.strictObject({ signingKeys: z.array(signingKeyAnswer) })
