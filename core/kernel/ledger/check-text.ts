import {
  charactersOf,
  hasControl,
  hasLoneSurrogate,
  isStorable,
} from '../../base/text/text-rules.ts'
import { wrong } from './input-errors.ts'
import type { FieldError } from './refusal.ts'

type Given = string | null | undefined

/** Checks optional free text: 1 to `most` characters without NUL and lone surrogates. Returns the errors. */
export function checkText(value: Given, pointer: string, most: number): readonly FieldError[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'string') return [wrong(pointer, `expected text, got ${typeof value}`)]
  const length = charactersOf(value)
  if (length === 0 || length > most)
    return [wrong(pointer, `expected 1 to ${most} characters, got ${length}`)]
  return isStorable(value) ? [] : [wrong(pointer, 'expected text without NUL and lone surrogates')]
}

/** Checks an optional id: as `checkText`, without control characters. */
export function checkLine(value: Given, pointer: string, most: number): readonly FieldError[] {
  if (typeof value === 'string' && (hasControl(value) || hasLoneSurrogate(value)))
    return [wrong(pointer, 'expected one line without control characters and lone surrogates')]
  return checkText(value, pointer, most)
}

/** Checks a name: as `checkLine`, required, and not only white space. */
export function checkName(value: string, pointer: string, most: number): readonly FieldError[] {
  if (typeof value === 'string' && value.trim() === '')
    return [wrong(pointer, `expected 1 to ${most} characters, got none`)]
  return checkLine(value, pointer, most)
}
