import { clockToleranceSeconds } from './clock-tolerance.ts'
import { contentPrefix, isMessageId, parseTimestamp } from './content.ts'
import { type HeaderSource, singleHeader } from './headers.ts'
import { requireKeys, requireRawBody } from './input.ts'
import type { VerifyKey } from './keys.ts'
import { explainNoMatch, matchingKey } from './match.ts'
import { parseSignatureList } from './signature-list.ts'

/** A message to verify. */
export interface VerifyInput {
  readonly headers: HeaderSource
  /** The bytes as they arrived; never text, never what a parser made of them. */
  readonly body: Uint8Array
  readonly keys: readonly VerifyKey[]
  /** Wall time, ms. */
  readonly now: number
  /** How far the signed timestamp may be from `now`, either way; `clockToleranceSeconds` unless given. */
  readonly toleranceSeconds?: number
}

/** Why a message is refused. */
export type VerificationCode =
  | 'missing_header'
  | 'duplicate_header'
  | 'malformed_id'
  | 'malformed_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'malformed_signature_list'
  | 'too_many_signatures'
  | 'no_matching_signature'

/** A message that is refused. */
export interface VerificationRefusal {
  readonly ok: false
  readonly code: VerificationCode
  /** For the receiver's own log: what was expected and what came. */
  readonly detail: string
}

/** The verdict on a message. */
export type Verification =
  | {
      readonly ok: true
      readonly id: string
      /** Unix seconds. */
      readonly timestamp: number
      /** Which of the keys matched. */
      readonly keyIndex: number
    }
  | VerificationRefusal

/**
 * Verifies a message of the Standard Webhooks profile. What the sender got wrong is returned; what the
 * caller got wrong (a parsed body, no keys) is thrown.
 *
 * @example
 * ```ts
 * import { loadVerifyKey, portablePrimitives, verify } from '@countersign/core/signing'
 *
 * const body = new Uint8Array(await request.arrayBuffer())
 * const verified = verify({
 *   headers: Object.fromEntries(request.headers),
 *   body,
 *   keys: [loadVerifyKey('whpk_GX9rI+FshTLGq8g4+s1ep4m+DHayzgM0A5i6i02j3h8=', portablePrimitives)],
 *   now: Date.now(),
 * })
 * if (verified.ok) console.log(JSON.parse(new TextDecoder().decode(body)))
 * ```
 */
export function verify(input: VerifyInput): Verification {
  const { headers, body, keys, now, toleranceSeconds = clockToleranceSeconds } = input
  requireRawBody(body)
  requireKeys(keys)
  requireTimes(now, toleranceSeconds)

  const id = singleHeader(headers, 'webhook-id')
  if (typeof id !== 'string') return id
  const timestampText = singleHeader(headers, 'webhook-timestamp')
  if (typeof timestampText !== 'string') return timestampText
  const signatures = singleHeader(headers, 'webhook-signature')
  if (typeof signatures !== 'string') return signatures

  if (!isMessageId(id))
    return refusal('malformed_id', 'expected 1 to 256 visible ASCII characters without "." or ","')
  const timestamp = parseTimestamp(timestampText)
  if (timestamp === null)
    return refusal('malformed_timestamp', 'expected unix seconds, digits alone')
  const age = Math.floor(now / 1000) - timestamp
  if (age > toleranceSeconds)
    return refusal('timestamp_too_old', outOfTolerance(age, 'old', toleranceSeconds))
  if (-age > toleranceSeconds)
    return refusal('timestamp_too_new', outOfTolerance(-age, 'ahead', toleranceSeconds))

  const list = parseSignatureList(signatures)
  if (!list.ok) return list
  const keyIndex = matchingKey(keys, list.entries, contentPrefix(id, timestamp), body)
  if (keyIndex < 0) return refusal('no_matching_signature', explainNoMatch(list.entries, keys))
  return { ok: true, id, timestamp, keyIndex }
}

function requireTimes(now: number, toleranceSeconds: number): void {
  if (!Number.isFinite(now)) throw new RangeError(`expected now in ms, got ${now}`)
  if (!Number.isInteger(toleranceSeconds) || toleranceSeconds < 0)
    throw new RangeError(`expected a tolerance in whole seconds, got ${toleranceSeconds}`)
}

function outOfTolerance(seconds: number, direction: 'old' | 'ahead', tolerance: number): string {
  return `the message is ${seconds} s ${direction}, expected at most ${tolerance} s: a replay, or a clock that is wrong`
}

function refusal(code: VerificationCode, detail: string): VerificationRefusal {
  return { ok: false, code, detail }
}
