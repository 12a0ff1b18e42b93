import { signingUses } from '@countersign/core'
import { highestRatePerMinute } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'

export const issueCustomerKey = z.strictObject({ applicationId: id })

export const customerKeyRate = z.strictObject({
  ratePerMinute: z.int().min(1).max(highestRatePerMinute).nullish(),
})

export const rotateSigningKey = z.strictObject({ use: z.enum(signingUses) })
