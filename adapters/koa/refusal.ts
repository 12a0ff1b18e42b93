import {
  type Refusal,
  type RefusalCode,
  refusalCures,
  refusalMeanings,
} from '@countersign/core/ledger'

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

/** What helps against the refusals that the host makes. */
const hostCures: Readonly<Record<keyof typeof hostMeanings, string>> = {
  cross_site: 'Send changes from pages of the portal itself, or from a program without cookies.',
  method_not_allowed: 'Use a method of the `Allow` header.',
  not_acceptable: 'Accept `application/json`, or what the description names for the operation.',
  unsupported_media_type:
    'Send JSON in UTF-8 with its `Content-Type`, or what the description names for the operation.',
  body_too_large: 'Send less at a time; the description has the limit of each operation.',
  precondition_failed: 'Read the case again, decide on that, and send its `ETag` in `If-Match`.',
  rate_limited: 'Wait for the seconds of `Retry-After`, and spread requests over the minute.',
  body_already_parsed: 'Mount the routers before every body parser.',
  internal: 'Look for the `requestId` in the log, and report what stands there.',
}

/** What helps against each refusal, for readers (interface, Errors). */
export const cures: Readonly<Record<ErrorCode, string>> = { ...refusalCures, ...hostCures }

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
