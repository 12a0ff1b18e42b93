import { signingUses } from '@countersign/core'
import * as z from 'zod'

export const rotateSigningKey = z.strictObject({ use: z.enum(signingUses) })
