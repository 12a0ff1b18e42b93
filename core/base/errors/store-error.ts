import { CountersignError } from './countersign-error.ts'

/**
 * Why a store rejected: `malformed` and `foreign_tenant` are the caller's bugs; `closed` came too late;
 * `full`, `io` and `busy` may pass; `corrupt` and `incompatible` need an operator.
 */
export type StoreErrorCode =
  | 'malformed'
  | 'foreign_tenant'
  | 'closed'
  | 'full'
  | 'io'
  | 'busy'
  | 'corrupt'
  | 'incompatible'

/** A store that could not do what it was asked; nothing of that call was written, but after `io` it may have been. */
export class StoreError extends CountersignError<StoreErrorCode> {
  override readonly name = 'StoreError'
}
