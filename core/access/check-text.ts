import type { FieldError } from '../ledger/refusal.ts'

// Control characters forge lines in logs and exports, NUL is what no store keeps, a lone surrogate has no UTF-8.
const unwanted = /[\p{Cc}\p{Cs}]/u

/** What is wrong with a name that a caller gave: one line of 1 to `most` characters. */
export function checkText(value: string, pointer: string, most: number): readonly FieldError[] {
  const wrong = (came: string): readonly FieldError[] => [
    {
      code: 'invalid_value',
      detail: `expected 1 to ${most} characters on one line, got ${came}`,
      pointer,
      parameter: null,
    },
  ]
  if (value.trim() === '') return wrong('none')
  if (value.length > most) return wrong(`${value.length}`)
  if (unwanted.test(value)) return wrong('a control character or a lone surrogate')
  return []
}
