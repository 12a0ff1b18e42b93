import { flagKinds, severities } from '@countersign/core'
import { longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'
import { isOnePart, listParameters, onePart } from './schemas.ts'

const text = (upTo: number) => z.string().min(1).max(upTo)

const applicationId = id.optional()
export const sessionPartQuery = z
  .strictObject({ ...listParameters, applicationId })
  .refine(isOnePart, onePart)

export const raiseFlag = z.strictObject({
  flag: z.enum(flagKinds),
  severity: z.enum(severities).optional(),
  note: text(longest.note).nullish(),
})

export const annotate = z.strictObject({
  text: text(longest.text),
  stepId: id.nullish(),
  label: text(longest.label).nullish(),
})

export const reviewSession = z.strictObject({
  decision: z.enum(['approved', 'rejected']),
  comment: text(longest.comment).nullish(),
})
