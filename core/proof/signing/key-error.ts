import { CountersignError } from '../../base/errors/countersign-error.ts'

/** Why a key can't be used. */
export type SigningKeyErrorCode =
  | 'not_text'
  | 'white_space'
  | 'unknown_prefix'
  | 'wrong_kind'
  | 'invalid_base64'
  | 'invalid_length'
  | 'halves_differ'
  | 'invalid_public_key'
  | 'weak_public_key'
  | 'invalid_secret'

/** A key that can't be used; the message explains the mistake and never repeats the key. */
export class SigningKeyError extends CountersignError<SigningKeyErrorCode> {
  override readonly name = 'SigningKeyError'
}
