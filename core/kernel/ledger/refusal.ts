import { CountersignError } from '../../base/errors/countersign-error.ts'
import { limitMeanings } from './limits.ts'

/**
 * Every code with which a use case refuses, and what it means. Hosts map them to their own, such as HTTP statuses; the
 * meanings are those of their tables (interface, Errors).
 */
export const refusalMeanings = {
  invalid_request: 'something in the request is wrong; `errors` names each fault',
  invalid_url: 'no https URL that can be called',
  refused_address: 'the URL leads to an address that is not called',
  authentication_required: 'no credential, or one that is unknown, expired or revoked',
  invalid_credentials: "e-mail and password, or the current password, don't fit",
  account_suspended: 'the tenant is suspended',
  forbidden: 'known, but not permitted',
  sandbox_read_only: 'a change in sandbox mode',
  not_found: "unknown, or another tenant's",
  application_gone: 'the application is being deleted',
  blocked_by_hold: 'a legal hold covers a data subject of the application; release it first',
  not_pending: 'no deletion of the application, or of the organization, was asked for',
  purge_started:
    "the purge of the application, or the removal of the organization, has begun and can't be stopped",
  too_many_attempts: 'too many failed logins',
  invalid_transition:
    'the case, the webhook, the application, the organization, the erasure, the member or the invitation is in a state that has no such transition',
  already_assigned: 'another reviewer has the case, or the new assignee has it already',
  version_conflict: 'the case moved on since `caseVersion`, or what is set since `version`',
  presentation_changed: '`presentationDigest` is not that of what is shown now',
  case_expired: '`expiresAt` has come; nothing but expiry happens any more',
  requester_cannot_review: 'who asked for the action may not review it',
  follow_up_pending: 'a question waits for its answer',
  reviewer_not_eligible: 'no active member with `Review Cases`',
  continuation_conflict: 'another outcome was reported before',
  callback_not_configured: 'the application has no outcome callback',
  callback_gone: "the callback's URL answered 410; save one before a replay",
  idempotency_conflict: 'the idempotency key came with another request before',
  endpoint_gone: "the webhook's URL answered 410; it needs another",
  already_rotating: 'the previous secret or key still signs',
  not_shared_secret: "the webhook, or the callback, signs with the tenant's Ed25519 key",
  ...limitMeanings,
  signature_required:
    "the decision, or the change of an authenticator, needs a signature of the member's authenticator",
  signature_invalid: 'the signature does not verify; `check` names the check that failed',
  authenticator_cloned: 'the sign count did not rise: there may be a copy of the authenticator',
  authenticator_not_allowed:
    'the organization takes signatures of attested models on its list alone, and this authenticator is none',
  authenticator_revoked: 'the authenticator was revoked, or never enrolled for this',
  request_pending: 'the same is asked for by a key request that is open',
  reveal_expired: 'the value of the key was shown, or could be for 24 hours',
  case_too_large: 'the case would hold more bytes of documents and texts than it may',
  quota_exceeded:
    "the plan's sessions of this month are used; `quota` has `limit`, `used`, `periodEnd`",
  plan_required: "the organization's plan does not include it",
  ambiguous_session:
    'several applications have a session with this id: name one with `applicationId`',
  not_sealed: 'the session is not sealed yet',
  session_conflict: 'the session is known by its spans, or was submitted with other content',
  merkle_root_mismatch:
    'the root is not that of the sessions; `expected` is the root as sent, `computed` that of the sessions',
  evidence_too_large: 'the session holds more content than one evidence document takes (64 MiB)',
  package_expired: 'the copy of the package is kept no longer',
  last_admin:
    'the organization would be left without an active CustomerAdmin, or without the one who may log in by password where its provider is required',
  already_member: 'a member of the organization has this address',
  already_invited: 'an invitation of this address is pending',
  email_taken: 'a member of some organization has the address of the invitation',
  invitation_expired: 'the invitation was accepted or withdrawn, or its 72 hours have passed',
  busy: 'too much at once; nothing was written',
  unavailable:
    'the store failed; `written` is `false` where nothing was written and `null` where that is unknown',
} as const
/** Code of a refusal; stable, for programs. */
export type RefusalCode = keyof typeof refusalMeanings

/** All of them. */
export const refusalCodes = Object.keys(refusalMeanings) as readonly RefusalCode[]

/** One fault of the input, and its place. */
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

/**
 * The value of a result; throws a RefusedError for a refusal. For callers to whom a refusal is a bug.
 *
 * @example
 * ```ts
 * import { unwrap } from '@countersign/core'
 *
 * const { applicationId } = unwrap(await service.access.authenticateApplication(apiKey))
 * console.log(applicationId)
 * ```
 */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new RefusedError(result.refusal)
}
