import { checkLine } from '../ledger/check-text.ts'
import { wrong } from '../ledger/input-errors.ts'
import { longest } from '../ledger/limits.ts'
import type { FieldError } from '../ledger/refusal.ts'

// One address by itself: none of what a mail's header takes for a name, a comment or a further address.
const shape = /^[^\s@,;:"<>()\\\p{Cc}\p{Cs}]+@[^\s@,;:"<>()\\\p{Cc}\p{Cs}]+$/u

/** The form in which addresses are compared; unique in the whole service. */
export function emailKeyOf(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** One plain address, without a display name or quoted parts. */
export function checkEmail(email: string, pointer: string): readonly FieldError[] {
  const trimmed = email.trim()
  if (trimmed.length <= longest.email && shape.test(trimmed)) return []
  return [wrong(pointer, `expected an e-mail address of at most ${longest.email} characters`)]
}

/** Whether a member can have the address; any other would be malformed for a store. */
export function isPossibleEmail(email: string): boolean {
  return checkLine(email, '/email', longest.email).length + checkEmail(email, '/email').length === 0
}
