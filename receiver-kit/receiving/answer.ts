/**
 * Refusal codes and their HTTP statuses. Never 410, which stops the sender for good. Senders retry every non-2xx
 * answer, so messages that a retry can't mend are stored and acknowledged instead.
 */
export const refusals = {
  method_not_allowed: 405,
  body_too_slow: 408,
  body_too_large: 413,
  unsigned: 401,
  bad_timestamp: 401,
  bad_signature: 401,
  /** A type that must come under Standard Webhooks came under the legacy signature. */
  weaker_signature: 401,
  /** `webhook-id` differs from `id` in the body. */
  id_mismatch: 400,
  unreadable_body: 400,
  /** An outcome callback at the event receiver, or an event at the outcome handler. */
  wrong_endpoint: 400,
  /** Application or organization that this endpoint does not serve. */
  foreign_application: 403,
  foreign_tenant: 403,
  /** An outcome id that is already stored with another body. */
  outcome_conflict: 409,
  /** A body parser ran before the kit, so the signed bytes are lost. */
  body_already_parsed: 500,
  internal: 500,
  /** Bodies hold as much memory as they may; the sender retries. */
  busy: 503,
  /** Not durable within the deadline; the sender retries. */
  not_stored: 503,
} as const
/** Code of a refusal; stable, for programs. */
export type ReceiverRefusalCode = keyof typeof refusals

/** HTTP answer that a host writes; `body` is JSON text. */
export interface ReceiverAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Acknowledges a stored message or a duplicate. */
export const acknowledgement: ReceiverAnswer = { status: 204, headers: {}, body: null }

const json = { 'content-type': 'application/json' }

/** Answer to `subscription.verification_requested`: an object with exactly this member. */
export function challengeAnswer(challenge: string): ReceiverAnswer {
  return { status: 200, headers: json, body: JSON.stringify({ challenge }) }
}

const headersOf: { readonly [Code in ReceiverRefusalCode]?: Readonly<Record<string, string>> } = {
  method_not_allowed: { allow: 'POST' },
  busy: { 'retry-after': '1' },
}

/** The code only; details go to the observer, not to the caller. */
export function refusalAnswer(code: ReceiverRefusalCode): ReceiverAnswer {
  return {
    status: refusals[code],
    headers: { ...json, ...headersOf[code] },
    body: JSON.stringify({ code }),
  }
}
