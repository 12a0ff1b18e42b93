import * as z from 'zod'
import { memberAnswer } from './answers.ts'

export const acceptedAnswer = z.strictObject({ member: memberAnswer, tenantId: z.string() })

export const resetRequestedAnswer = z.strictObject({ requested: z.literal(true) })
