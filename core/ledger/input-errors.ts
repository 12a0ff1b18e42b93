import { type FieldError, refuse } from './refusal.ts'

type Refused = ReturnType<typeof refuse>

/** A value of the input that may not be what it is; `pointer` says which (RFC 6901). */
export function wrong(pointer: string, detail: string): FieldError {
  return { code: 'invalid_value', detail, pointer, parameter: null }
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
