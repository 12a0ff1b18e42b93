import { memberStatuses, permissions, roles } from '@countersign/core/access'
import { longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { isOnePart, listParameters, onePart } from './schemas.ts'

const text = (upTo: number) => z.string().min(1).max(upTo)
/** Counted before the items are looked at: no permission is named twice to any effect. */
const granted = z.array(z.enum(permissions)).max(permissions.length)

export const membersQuery = z
  .strictObject({ ...listParameters, status: z.enum(memberStatuses).optional() })
  .refine(isOnePart, onePart)
export const setRole = z.strictObject({ role: z.enum(roles), permissions: granted })
export const deactivateMember = z.strictObject({ confirm: z.literal(true) })
export const invite = z.strictObject({
  email: text(longest.email),
  role: z.enum(roles).optional(),
  permissions: granted.optional(),
})
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
