import { wrong } from '../ledger/input-errors.ts'
import type { FieldError } from '../ledger/refusal.ts'

/** The longest that mail can carry (RFC 5321 4.5.3.1.3, less the brackets). */
const longest = 254
const shape = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u

/** The form in which two addresses are compared: unique in the whole service. */
export function emailKeyOf(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

export function checkEmail(email: string, pointer: string): readonly FieldError[] {
  const trimmed = email.trim()
  if (trimmed.length <= longest && shape.test(trimmed)) return []
  return [wrong(pointer, `expected an e-mail address of at most ${longest} characters`)]
}
