import type { FieldError } from '@countersign/core/ledger'
import type { ErrorCode } from '../refusal.ts'
import type { ErrorBody } from './answers.ts'

/** Whether two types are one: `any`, optional and readonly members count. */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export type Holds<T extends true> = T

/** A shape with a member too few or too many, or of another type than what is sent, does not compile. */
export type Pins = [
  Holds<Same<ErrorBody['errors'][number], FieldError>>,
  Holds<Same<ErrorBody['code'], ErrorCode>>,
]
