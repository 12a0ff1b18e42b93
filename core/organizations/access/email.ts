import { longest } from '../../kernel/ledger/limits.ts'
import { line, type Shape } from '../../kernel/shape.ts'
import { checked, takenBy } from '../../kernel/wrap.ts'

// One address by itself: none of what a mail's header takes for a name, a comment or a further address.
const plain = /^[^\s@,;:"<>()\\\p{Cc}\p{Cs}]+@[^\s@,;:"<>()\\\p{Cc}\p{Cs}]+$/u

/** The form in which addresses are compared; unique in the whole service. */
export function emailKeyOf(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

// Invisible characters, such as a soft hyphen or a zero-width space.
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Whether an address can look like another: by invisible characters or compatibility forms (full-width letters). */
function looksLikeAnother(email: string): boolean {
  return unseen.test(email) || email.normalize('NFKC') !== email.normalize('NFC')
}

/** What is wrong with an address; null for a plain one, without display name, quoted parts or unseen characters. */
function faultOfEmail(email: string): string | null {
  const trimmed = email.trim()
  if (looksLikeAnother(trimmed))
    return 'expected an e-mail address without invisible or compatibility characters'
  return trimmed.length <= longest.email && plain.test(trimmed)
    ? null
    : `expected an e-mail address of at most ${longest.email} characters`
}

/** One plain address; white space around it is dropped. */
export const emailAddress: Shape<string> = takenBy(
  checked(line(longest.email), faultOfEmail),
  (email) => email.trim(),
)

/** Whether a member can have the address. Any other must not reach a read, which a store may reject as malformed. */
export function isPossibleEmail(email: string): boolean {
  return emailAddress.faults(email, '').length === 0
}
