import { CountersignError } from '../../base/errors/countersign-error.ts'

/** Every code with which a use case refuses. Hosts map them to their own, such as HTTP statuses. */
export const refusalCodes = [
  'invalid_request',
  'invalid_url',
  'refused_address',
  'authentication_required',
  'invalid_credentials',
  'account_suspended',
  'forbidden',
  'sandbox_read_only',
  'not_found',
  'application_gone',
  'blocked_by_hold',
  'not_pending',
  'purge_started',
  'too_many_attempts',
  'invalid_transition',
  'already_assigned',
  'version_conflict',
  'presentation_changed',
  'case_expired',
  'requester_cannot_review',
  'follow_up_pending',
  'reviewer_not_eligible',
  'continuation_conflict',
  'callback_not_configured',
  'callback_gone',
  'idempotency_conflict',
  'endpoint_gone',
  'already_rotating',
  'not_shared_secret',
  'application_limit',
  'webhook_limit',
  'application_key_limit',
  'too_many_keys',
  'request_pending',
  'reveal_expired',
  'alert_rule_limit',
  'channel_limit',
  'follow_up_limit',
  'case_too_large',
  'quota_exceeded',
  'plan_required',
  'ambiguous_session',
  'not_sealed',
  'session_conflict',
  'merkle_root_mismatch',
  'evidence_too_large',
  'package_expired',
  'last_admin',
  'already_member',
  'already_invited',
  'invitation_limit',
  'email_taken',
  'invitation_expired',
  'busy',
  'unavailable',
] as const
/** Code of a refusal; stable, for programs. */
export type RefusalCode = (typeof refusalCodes)[number]

/** One fault of the input, and where it stands. */
export interface FieldError {
  readonly code: string
  readonly detail: string
  /** JSON pointer into the body (RFC 6901). */
  readonly pointer: string | null
  /** The name of a query or path parameter. */
  readonly parameter: string | null
}

/** An expected "no": a value, never an exception. */
export interface Refusal<Code extends RefusalCode = RefusalCode> {
  readonly code: Code
  /** One sentence for the caller: what was expected and what came. */
  readonly detail: string
  readonly errors?: readonly FieldError[]
  /** Facts that belong to the answer, such as the current case of a version conflict. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** Seconds after which another try makes sense. */
  readonly retryAfter?: number
}

/** The answer of a use case: a value, or a refusal with one of these codes. */
export type Result<T, Code extends RefusalCode = RefusalCode> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal<Code> }

/** A result with a value. */
export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value }
}

/** A result that refuses. */
export function refuse<const Code extends RefusalCode>(
  code: Code,
  detail: string,
  more: Omit<Refusal, 'code' | 'detail'> = {},
): { readonly ok: false; readonly refusal: Refusal<Code> } {
  return { ok: false, refusal: { code, detail, ...more } }
}

/** A refusal where the caller expected none; thrown by `unwrap` alone. */
export class RefusedError extends CountersignError<RefusalCode> {
  override readonly name = 'RefusedError'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.code, `${refusal.code}: ${refusal.detail}`)
    this.refusal = refusal
  }
}

/** The value of a result; throws a RefusedError for a refusal. For callers to whom a refusal is a bug. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new RefusedError(result.refusal)
}
