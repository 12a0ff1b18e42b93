import { wrong } from '../ledger/input-errors.ts'
import type { FieldError } from '../ledger/refusal.ts'

// Control characters forge lines in logs and exports, NUL is what no store keeps, a lone surrogate has no UTF-8.
const unwanted = /[\p{Cc}\p{Cs}]/u

/** What is wrong with a name that a caller gave: one line of 1 to `most` characters. */
export function checkText(value: string, pointer: string, most: number): readonly FieldError[] {
  const fault = (came: string) => [
    wrong(pointer, `expected 1 to ${most} characters on one line, got ${came}`),
  ]
  if (value.trim() === '') return fault('none')
  if (value.length > most) return fault(`${value.length}`)
  if (unwanted.test(value)) return fault('a control character or a lone surrogate')
  return []
}
