import { hasControl, hasLoneSurrogate, isStorable } from '../text/text-rules.ts'
import { wrong } from './input-errors.ts'
import type { FieldError } from './refusal.ts'

type Given = string | null | undefined

/** What is wrong with free text; absent is well, else 1 to `most` UTF-16 units without NUL and lone surrogates. */
export function checkText(value: Given, pointer: string, most: number): readonly FieldError[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'string') return [wrong(pointer, `expected text, got ${typeof value}`)]
  if (value.length === 0 || value.length > most)
    return [wrong(pointer, `expected 1 to ${most} characters, got ${value.length}`)]
  return isStorable(value) ? [] : [wrong(pointer, 'expected text without NUL and lone surrogates')]
}

/** What is wrong with an id: as `checkText`, on one line. */
export function checkLine(value: Given, pointer: string, most: number): readonly FieldError[] {
  if (typeof value === 'string' && (hasControl(value) || hasLoneSurrogate(value)))
    return [wrong(pointer, 'expected one line without control characters and lone surrogates')]
  return checkText(value, pointer, most)
}

/** What is wrong with a name: required, as `checkLine`, and more than white space. */
export function checkName(value: string, pointer: string, most: number): readonly FieldError[] {
  if (typeof value === 'string' && value.trim() === '')
    return [wrong(pointer, `expected 1 to ${most} characters, got none`)]
  return checkLine(value, pointer, most)
}
