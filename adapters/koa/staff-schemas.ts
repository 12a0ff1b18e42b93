import { longest } from '@countersign/core/ledger'
import * as z from 'zod'

/** Why staff does what it does. */
export const staffReason = z.strictObject({ reason: z.string().min(1).max(longest.staffReason) })
