import { planNames } from '@countersign/core/access'
import { customRetention, longest } from '@countersign/core/ledger'
import * as z from 'zod'

/** Why staff does what it does. */
export const staffReason = z.strictObject({ reason: z.string().min(1).max(longest.staffReason) })

/** A plan, and the retention that only Enterprise may have otherwise than its own. */
export const setPlan = z.strictObject({
  plan: z.enum(planNames),
  retentionDays: z.int().min(customRetention.least).max(customRetention.most).nullish(),
})
