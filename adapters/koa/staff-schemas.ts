import { longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { time } from './schemas.ts'

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
