import type { FieldError } from '@countersign/core/ledger'
import type { AnswerOf } from '../media.ts'
import type { ErrorCode } from '../refusal.ts'
import type { errorAnswer } from './answers.ts'

/** Whether two types are one: `any`, optional and readonly members count. */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export type Holds<T extends true> = T

type ErrorAnswer = AnswerOf<typeof errorAnswer>

/** A schema with a member too few or too many, or of another type than the core's view, does not compile. */
export type Pins = [
  Holds<Same<ErrorAnswer['errors'][number], FieldError>>,
  Holds<Same<ErrorAnswer['code'], ErrorCode>>,
]
