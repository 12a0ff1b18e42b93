import type { Refusal, RefusalCode } from '@countersign/core/ledger'

/** Codes of refusals that HTTP gives a reason for, or that the host makes; the others are the core's. */
export const hostCodes = [
  'cross_site',
  'method_not_allowed',
  'not_acceptable',
  'unsupported_media_type',
  'body_too_large',
  'precondition_failed',
  'rate_limited',
  'body_already_parsed',
  'internal',
] as const

/** Every code that an answer may have. */
export type ErrorCode = RefusalCode | (typeof hostCodes)[number]

/** What an error answer tells: a refusal of the core, or one of the host. */
export interface HostRefusal extends Omit<Refusal, 'code'> {
  readonly code: ErrorCode
}

export interface Refused {
  readonly ok: false
  readonly refusal: HostRefusal
}

/** The core's `Result` with the host's refusals besides. */
export type HostResult<T> = { readonly ok: true; readonly value: T } | Refused

export function refuse(
  code: ErrorCode,
  detail: string,
  more: Omit<HostRefusal, 'code' | 'detail'> = {},
): Refused {
  return { ok: false, refusal: { code, detail, ...more } }
}
