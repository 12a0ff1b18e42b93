import { planNames } from '@countersign/core/access'
import { customRetention, longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { time } from './schemas.ts'

/** Why staff does what it does. */
export const staffReason = z.strictObject({ reason: z.string().min(1).max(longest.staffReason) })

/** A plan, and the retention that only Enterprise may have otherwise than its own. */
export const setPlan = z.strictObject({
  plan: z.enum(planNames),
  retentionDays: z.int().min(customRetention.least).max(customRetention.most).nullish(),
})

/** Why a purge that failed is taken up again. */
export const staffNote = z.strictObject({ note: z.string().min(1).max(longest.staffReason) })

/** What staff must have seen before it deletes an organization. */
export const tenantDeletion = z.strictObject({
  ticket: z.string().min(1).max(longest.id),
  identity: z.strictObject({
    method: z.string().min(1).max(longest.id),
    verifiedBy: z.string().min(1).max(longest.id),
    verifiedAt: time,
  }),
  authorizationForm: z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    signedBy: z.string().min(1).max(longest.name),
    signedAt: time,
  }),
})
