import { longest } from '@countersign/core/ledger'
import * as z from 'zod'

const text = (upTo: number) => z.string().min(1).max(upTo)
export const acceptInvitation = z.strictObject({
  token: text(longest.secret),
  name: text(longest.name),
  password: text(longest.password),
})

export const changePassword = z.strictObject({
  current: text(longest.password),
  next: text(longest.password),
})
export const requestPasswordReset = z.strictObject({ email: text(longest.email) })
export const acceptPasswordReset = z.strictObject({
  token: text(longest.secret),
  password: text(longest.password),
})
