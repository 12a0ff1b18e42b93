import { evidenceLimits } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'

/** Names the application of a session. */
export const ofApplication = z.strictObject({ applicationId: id.optional() })

export const evidenceQuery = ofApplication.extend({ format: z.literal('json').optional() })

/** Doubles count once; counted before the items are looked at. */
const applications = z.strictObject({
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
export const bulkExport = applications
export const auditorPack = applications

export const subjectPack = z.strictObject({
  dataSubjectId: id,
  format: z.enum(['zip', 'pdf']).optional(),
})
