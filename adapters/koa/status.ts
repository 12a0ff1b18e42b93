import { limitMeanings } from '@countersign/core/ledger'
import type { ErrorCode } from './refusal.ts'

const limitCodes = Object.keys(limitMeanings) as readonly (keyof typeof limitMeanings)[]
const atLimit = Object.fromEntries(limitCodes.map((code) => [code, 409])) as Readonly<
  Record<keyof typeof limitMeanings, number>
>

/** The one table from codes to HTTP (interface, Errors). */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_url: 400,
  refused_address: 400,
  authentication_required: 401,
  invalid_credentials: 401,
  account_suspended: 503,
  forbidden: 403,
  cross_site: 403,
  sandbox_read_only: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  unsupported_media_type: 415,
  body_too_large: 413,
  application_gone: 410,
  blocked_by_hold: 409,
  not_pending: 409,
  purge_started: 409,
  rate_limited: 429,
  too_many_attempts: 429,
  invalid_transition: 409,
  already_assigned: 409,
  version_conflict: 409,
  precondition_failed: 412,
  presentation_changed: 409,
  case_expired: 409,
  requester_cannot_review: 409,
  follow_up_pending: 409,
  reviewer_not_eligible: 409,
  continuation_conflict: 409,
  callback_not_configured: 409,
  callback_gone: 409,
  idempotency_conflict: 409,
  endpoint_gone: 409,
  already_rotating: 409,
  not_shared_secret: 409,
  ...atLimit,
  signature_required: 409,
  signature_invalid: 422,
  authenticator_cloned: 409,
  authenticator_not_allowed: 409,
  authenticator_revoked: 409,
  request_pending: 409,
  reveal_expired: 410,
  case_too_large: 413,
  quota_exceeded: 403,
  plan_required: 403,
  ambiguous_session: 409,
  session_conflict: 409,
  not_sealed: 404,
  merkle_root_mismatch: 422,
  evidence_too_large: 413,
  package_expired: 410,
  last_admin: 409,
  already_member: 409,
  already_invited: 409,
  email_taken: 409,
  invitation_expired: 410,
  busy: 503,
  unavailable: 503,
  body_already_parsed: 500,
  internal: 500,
}

/** A short name of each code for people; the detail says the particulars. */
export function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The code of google.rpc.Status that goes with each status. */
export const rpcCodeOf: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  406: 3,
  409: 10,
  410: 9,
  412: 9,
  413: 8,
  415: 3,
  422: 3,
  429: 8,
  500: 13,
  503: 14,
}
