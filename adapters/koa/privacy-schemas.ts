import { erasureReasons } from '@countersign/core'
import { longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'
import { isOnePart, listParameters, onePart } from './schemas.ts'

const dataSubjectId = id
const applicationId = id.nullish()
const reason = z.string().min(1).max(longest.privacyReason)

export const lookupSubject = z.strictObject({ dataSubjectId })
export const requestErasure = z.strictObject({
  dataSubjectId,
  applicationId,
  reason: z.enum(erasureReasons),
  confirm: z.literal(true),
})
export const rejectErasure = z.strictObject({ reason })
export const placeHold = z.strictObject({
  dataSubjectId,
  applicationId,
  matter: z.string().min(1).max(longest.matter),
})
export const releaseHold = z.strictObject({ reason })
export const holdsQuery = z
  .strictObject({
    ...listParameters,
    active: z
      .enum(['true', 'false'])
      .transform((value) => value === 'true')
      .optional(),
  })
  .refine(isOnePart, onePart)
