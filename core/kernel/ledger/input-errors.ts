import { type FieldError, refuse } from './refusal.ts'

type Refused = ReturnType<typeof refuse<'invalid_request'>>

/** An error of one input value; `pointer` (RFC 6901) locates it. */
export function wrong(pointer: string, detail: string): FieldError {
  return { code: 'invalid_value', detail, pointer, parameter: null }
}

/** What is wrong with an input; empty where nothing is. */
export type Errors = readonly FieldError[]

/** Checks that a value is one of a list. */
export function checkOneOf(value: string, allowed: readonly string[], pointer: string): Errors {
  return allowed.includes(value)
    ? []
    : [wrong(pointer, `expected one of ${allowed.join(', ')}, got ${JSON.stringify(value)}`)]
}

/** The refusal of an input with errors, whose detail is the first of them; null where there is none. */
export function refuseErrors(errors: readonly [FieldError, ...FieldError[]]): Refused
export function refuseErrors(errors: readonly FieldError[]): Refused | null
export function refuseErrors(errors: readonly FieldError[]): Refused | null {
  const [first] = errors
  if (!first) return null
  const { pointer, parameter, detail } = first
  return refuse('invalid_request', `${pointer ?? parameter}: ${detail}`, { errors })
}
