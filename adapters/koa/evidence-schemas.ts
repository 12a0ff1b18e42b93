import { evidenceLimits, longest } from '@countersign/core/ledger'
import * as z from 'zod'

const id = z.string().min(1).max(longest.id)

/** Names the application of a session. */
export const ofApplication = z.strictObject({ applicationId: id.optional() })
export const evidenceQuery = z.strictObject({
  applicationId: id.optional(),
  format: z.literal('json').optional(),
})

/** Doubles count once; counted before the items are looked at. */
export const bulkExport = z.strictObject({
  applicationIds: z
    .array(z.unknown())
    .min(1)
    .max(5 * evidenceLimits.applicationsPerExport)
    .pipe(z.array(id))
    .transform((ids) => [...new Set(ids)])
    .refine(
      (ids) => ids.length <= evidenceLimits.applicationsPerExport,
      `expected at most ${evidenceLimits.applicationsPerExport} applications`,
    ),
})
