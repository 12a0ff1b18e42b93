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

// What is not seen, such as a soft hyphen or a zero-width space: with it an address looks like another.
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Whether an address can look like another by what is not seen, or by forms of other widths. */
function looksLikeAnother(email: string): boolean {
  return unseen.test(email) || email.normalize('NFKC') !== email.normalize('NFC')
}

/** One plain address, without a display name, quoted parts or characters that are not seen. */
export function checkEmail(email: string, pointer: string): readonly FieldError[] {
  const trimmed = email.trim()
  if (looksLikeAnother(trimmed))
    return [
      wrong(pointer, 'expected an e-mail address without invisible or compatibility characters'),
    ]
  if (trimmed.length <= longest.email && shape.test(trimmed)) return []
  return [wrong(pointer, `expected an e-mail address of at most ${longest.email} characters`)]
}

/** Whether a member can have the address; any other would be malformed for a store. */
export function isPossibleEmail(email: string): boolean {
  return checkLine(email, '/email', longest.email).length + checkEmail(email, '/email').length === 0
}
