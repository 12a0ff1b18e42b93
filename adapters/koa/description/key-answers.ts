import { signingUses } from '@countersign/core'
import * as z from 'zod'
import { position, time } from './answer-parts.ts'

export const signingKeyAnswer = z.strictObject({
  use: z.enum(signingUses),
  keyVersion: position,
  publicKey: z.string(),
  signsFrom: time,
  previousSignsUntil: time.nullable(),
})

export const signingKeysAnswer = z.strictObject({ signingKeys: z.array(signingKeyAnswer) })
