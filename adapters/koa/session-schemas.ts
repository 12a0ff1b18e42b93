import * as z from 'zod'
import { id } from './id-form.ts'
import { isOnePart, listParameters, onePart } from './schemas.ts'

const time = z.iso.datetime().transform((value) => Date.parse(value))
const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const quality = z
  .string()
  .regex(/^\d{1,3}(\.\d)?$/, 'expected a number with one decimal at most')
  .transform(Number)

/** Names the application of a session. */
export const ofApplication = z.strictObject({ applicationId: id.optional() })

export const stepsQuery = z
  .strictObject({ ...listParameters, applicationId: id.optional() })
  .refine(isOnePart, onePart)

export const sessionsQuery = z
  .strictObject({
    ...listParameters,
    applicationId: id.optional(),
    status: z.enum(['running', 'completed', 'failed']).optional(),
    origin: z.enum(['otlp', 'submission']).optional(),
    from: time.optional(),
    until: time.optional(),
    flagged: flag.optional(),
    openReview: flag.optional(),
    dataSubjectId: id.optional(),
    minQuality: quality.optional(),
    maxQuality: quality.optional(),
    sort: z.enum(['-startedAt', 'startedAt']).optional(),
  })
  .refine(isOnePart, onePart)
