import { keyRequestStatuses, signingUses } from '@countersign/core'
import { customerKeyTypes } from '@countersign/core/access'
import { highestRatePerMinute, longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'
import { isOnePart, listParameters, onePart } from './schemas.ts'

export const issueCustomerKey = z.strictObject({ applicationId: id })

/** Which members there must be depends on the action. */
export const submitKeyRequest = z.strictObject({
  applicationId: id.optional(),
  type: z.enum(customerKeyTypes).optional(),
  keyId: id.optional(),
  reason: z.string().min(1).max(longest.keyRequestReason),
})

export const staffKeyRequestsQuery = z
  .strictObject({ ...listParameters, status: z.enum(keyRequestStatuses).optional() })
  .refine(isOnePart, onePart)

/** What staff says of its step, where it says anything. */
export const staffStep = z.strictObject({
  reason: z.string().min(1).max(longest.staffReason).nullish(),
})

export const customerKeyRate = z.strictObject({
  ratePerMinute: z.int().min(1).max(highestRatePerMinute).nullish(),
})

export const rotateSigningKey = z.strictObject({ use: z.enum(signingUses) })
