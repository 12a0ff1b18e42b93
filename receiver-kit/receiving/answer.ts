/**
 * Every reason for which the kit refuses a message, with its status. 410 is not among them: a sender takes it for
 * "never again". A sender retries whatever is not 2xx, so what can't get better by a retry is stored instead.
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
  /** The signed id and the body's differ. */
  id_mismatch: 400,
  unreadable_body: 400,
  /** An outcome callback at the event receiver, or an event at the outcome handler. */
  wrong_endpoint: 400,
  /** An outcome for an application, or a message of an organization, that this endpoint does not serve. */
  foreign_application: 403,
  foreign_tenant: 403,
  /** An outcome under an id that is stored with other bytes. */
  outcome_conflict: 409,
  /** Something in front of the kit parsed the body, so the signed bytes are gone. */
  body_already_parsed: 500,
  internal: 500,
  /** Not durable in time: the sender has to come again. */
  not_stored: 503,
} as const
/** Code of a refusal; stable, for programs. */
export type ReceiverRefusalCode = keyof typeof refusals

/** What a shell writes; `body` is JSON text. */
export interface ReceiverAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Stored: now, or before under the same id. */
export const acknowledgement: ReceiverAnswer = { status: 204, headers: {}, body: null }

const json = { 'content-type': 'application/json' }

/** The proof of a `subscription.verification_requested`: an object with this one member. */
export function challengeAnswer(challenge: string): ReceiverAnswer {
  return { status: 200, headers: json, body: JSON.stringify({ challenge }) }
}

/** A fixed code and nothing else: details are for the observer, not for the caller. */
export function refusalAnswer(code: ReceiverRefusalCode): ReceiverAnswer {
  const headers = code === 'method_not_allowed' ? { ...json, allow: 'POST' } : json
  return { status: refusals[code], headers, body: JSON.stringify({ code }) }
}
