import { type Refusal, type RefusalCode, refusalMeanings } from '@countersign/core/ledger'

/** Codes of refusals that HTTP gives a reason for, or that the host makes, and their meanings; the others are the core's. */
export const hostMeanings = {
  cross_site: 'an unsafe request from another site',
  method_not_allowed: 'the path exists with the methods of `Allow`',
  not_acceptable: '`Accept` excludes what the operation produces',
  unsupported_media_type: 'the body is not of a type that the operation reads',
  body_too_large: "the body is over the operation's limit",
  precondition_failed: 'the case moved on since the tag of `If-Match`',
  rate_limited: 'over the rate of the key, member or address',
  body_already_parsed:
    'the host reads bodies before this API sees them: mount it before any body parser',
  internal: 'a bug; the log has the request id',
} as const

/** All of them. */
export const hostCodes = Object.keys(hostMeanings) as readonly (keyof typeof hostMeanings)[]

/** Every code that an answer may have. */
export type ErrorCode = RefusalCode | keyof typeof hostMeanings

/** What each code means, for readers (interface, Errors). */
export const meanings: Readonly<Record<ErrorCode, string>> = { ...refusalMeanings, ...hostMeanings }

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
