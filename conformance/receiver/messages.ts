import { randomBytes } from 'node:crypto'
import {
  encodeBase64,
  type LegacyKey,
  type SigningKey,
  signLegacy,
} from '@countersign/core/signing'
import type { Request } from './request.ts'

export type Body = Readonly<Record<string, unknown>>

/** A body with an id, which every event has. */
export type Event = Body & { readonly id: string; readonly type: string }

/** A request that is signed, with what its signature was made of. */
export interface Signed extends Request {
  /** Of the header, which a tampered body may contradict. */
  readonly id: string
  readonly timestamp: string
  /** Says in a transcript what is sent. */
  readonly label: string
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeLength = 10

/**
 * Never the same twice, so that no history meets what another one left. Like production's, an id is 26 characters
 * that begin with the time (ms, base 32), so that the ids of one run share their first characters.
 */
export function freshId(prefix: string, at: number = Date.now()): string {
  let time = ''
  for (let rest = at; time.length < timeLength; rest = Math.floor(rest / 32))
    time = `${alphabet[rest % 32]}${time}`
  const random = [...randomBytes(26 - timeLength)].map((byte) => alphabet[byte % 32]).join('')
  return `${prefix}_${time}${random}`
}

const hour = 3_600_000

export function reviewEvent(change: Body = {}): Event & { readonly reviewCaseId: string } {
  const reviewCaseId = freshId('rc')
  return {
    id: freshId('evt'),
    type: 'review.case.created',
    schemaVersion: 1,
    time: new Date().toISOString(),
    tenantId: 'ten_conformance',
    applicationId: 'app_conformance',
    sessionId: 'ses_conformance',
    reviewCaseId,
    caseVersion: 1,
    eventSequence: 1,
    decision: null,
    reviewTier: 'standard',
    dueAt: new Date(Date.now() + 24 * hour).toISOString(),
    expiresAt: new Date(Date.now() + 168 * hour).toISOString(),
    reasonCategory: 'policy_requires_human_review',
    presentationDigest: null,
    caseUrl: `https://ingest.example/v1/review-cases/${reviewCaseId}`,
    ...change,
  }
}

export function challengeEvent(challenge: string | null, change: Body = {}): Event {
  return {
    id: freshId('evt'),
    type: 'subscription.verification_requested',
    schemaVersion: 1,
    time: new Date().toISOString(),
    tenantId: 'ten_conformance',
    // Of its own, for a receiver may keep one state of a subscription and see no more than one change of it.
    subscriptionId: freshId('wh'),
    challenge,
    ...change,
  }
}

/** An event of the legacy family. */
export function alertEvent(change: Body = {}): Event {
  return {
    id: freshId('evt'),
    type: 'alert.triggered',
    timestamp: new Date().toISOString(),
    tenantId: 'ten_conformance',
    applicationId: null,
    data: {
      alertRuleId: 'rule_conformance',
      alertRuleName: 'Conformance',
      metricName: 'error_rate',
      currentValue: 0.5,
      threshold: 0.25,
      severity: 'warning',
    },
    ...change,
  }
}

const utf8 = new TextEncoder()
export const bytesOf = (text: string): Uint8Array => utf8.encode(text)

/** One entry of `webhook-signature` over any texts, those that no sender would sign included. */
export function signatureEntry(
  key: SigningKey,
  id: string,
  timestamp: string,
  body: Uint8Array,
): string {
  const prefix = `${id}.${timestamp}.`
  if (key.scheme === 'v1') return `v1,${key.mac(prefix, body, 'base64')}`
  return `v1a,${encodeBase64(key.sign(prefix, body))}`
}

export const unixNow = (): number => Math.floor(Date.now() / 1000)

/** Signs a message of the Standard Webhooks profile. */
export function signed(message: {
  readonly id: string
  readonly body: Uint8Array
  readonly keys: readonly SigningKey[]
  readonly timestamp?: string
  readonly label: string
}): Signed {
  const { id, body, keys, timestamp = String(unixNow()), label } = message
  const signature = keys.map((key) => signatureEntry(key, id, timestamp, body)).join(' ')
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    },
    body,
    id,
    timestamp,
    label,
  }
}

/** Signs a message of the legacy family. */
export function legacySigned(event: Event, key: LegacyKey): Signed {
  const body = bytesOf(JSON.stringify(event))
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': signLegacy(key, body),
    },
    body,
    id: event.id,
    timestamp: '',
    label: `${labelOf(event)} under X-Service-Signature`,
  }
}

/** With other headers; undefined takes one away. */
export function withHeaders(
  message: Signed,
  change: Readonly<Record<string, string | readonly string[] | undefined>>,
): Signed {
  const headers: Record<string, string | readonly string[]> = { ...message.headers }
  for (const [name, value] of Object.entries(change))
    if (value === undefined) delete headers[name]
    else headers[name] = value
  return { ...message, headers }
}

export function labelOf(event: Body): string {
  const { type, id, reviewCaseId, caseVersion, eventSequence } = event
  const place =
    reviewCaseId === undefined
      ? ''
      : ` case ${short(reviewCaseId)} at (${caseVersion}, ${eventSequence})`
  return `${type} ${short(id)}${place}`
}

/** Enough of an id to tell the ids of one history apart; its first characters are the time. */
export function short(id: unknown): string {
  const text = String(id)
  return text.length > 16 ? `${text.slice(0, text.indexOf('_') + 1)}…${text.slice(-6)}` : text
}

/** Whether a body is an event as far as its id goes; the probe may show anything of others. */
export function hasUsableId(body: Uint8Array): boolean {
  try {
    const { id } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) ?? {}
    return typeof id === 'string'
  } catch {
    return false
  }
}
