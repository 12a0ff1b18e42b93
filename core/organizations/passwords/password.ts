import { wrong } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import type { FieldError } from '../../kernel/ledger/refusal.ts'
import { anyText, type Shape } from '../../kernel/shape.ts'
import { checked } from '../../kernel/wrap.ts'

/** Characters; NIST SP 800-63B-4 asks for 15 of a password without a second factor, and never for fewer than 8. */
const shortestPassword = 8

const utf8 = new TextEncoder()

/**
 * The normalized form that is hashed, equal for the same password typed on different keyboards (NIST SP 800-63B-4
 * 3.1.1.2).
 */
export function normalPassword(password: string): string {
  return password.normalize('NFKC')
}

function isTooLong(password: string): boolean {
  return password.length > longest.password || utf8.encode(password).length > longest.password
}

/**
 * Whether a password can have been chosen. None has NUL: HMAC pads its key with it, so scrypt does not distinguish a
 * password from the same with NUL appended (RFC 2104 2).
 */
export function isPossible(password: string): boolean {
  return !isTooLong(password) && !password.includes('\0')
}

/** Why a password may not be chosen, or null; it never repeats it. */
function faultOfPassword(password: string): string | null {
  if (password.includes('\0')) return 'expected a password without NUL'
  const length = [...normalPassword(password)].length
  if (length >= shortestPassword && !isTooLong(normalPassword(password))) return null
  const expected = `at least ${shortestPassword} characters and at most ${longest.password} bytes`
  return `expected a password of ${expected}, got ${length} characters`
}

/** A password that is chosen. */
export const chosenPassword: Shape<string> = checked(anyText(longest.password), faultOfPassword)

/** As the shape `chosenPassword`, where other checks come before it. */
export function checkPassword(password: string, pointer: string): readonly FieldError[] {
  const fault = faultOfPassword(password)
  return fault === null ? [] : [wrong(pointer, fault)]
}
