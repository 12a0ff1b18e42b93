import { equalText } from './equal.ts'
import { type HeaderSource, headerOnce, singleHeader } from './headers.ts'
import { requireKeys, requireRawBody } from './input.ts'
import type { LegacyKey } from './keys.ts'

const current = 'x-service-signature'
/** Beside the current one while a secret rotates: by the new secret. */
const next = 'x-service-signature-next'

const grammar = /^sha256=[0-9a-f]{64}$/

/** The `X-Service-Signature` of the legacy family: the body alone, no id and no time, so a capture can be replayed. */
export function signLegacy(key: LegacyKey, body: Uint8Array): string {
  requireRawBody(body)
  return `sha256=${key.mac('', body, 'hex')}`
}

/** The headers of the legacy family; `nextKey` is the new secret's while the previous one still signs. */
export function legacyHeaders(input: {
  readonly body: Uint8Array
  readonly key: LegacyKey
  readonly nextKey?: LegacyKey | null
}): Readonly<Record<string, string>> {
  const { body, key, nextKey } = input
  const headers = { [current]: signLegacy(key, body) }
  return nextKey ? { ...headers, [next]: signLegacy(nextKey, body) } : headers
}

/** Why a message of the legacy family is refused. */
export type LegacyVerificationCode =
  | 'missing_header'
  | 'duplicate_header'
  | 'malformed_signature'
  | 'no_matching_signature'

/** The verdict on a message of the legacy family. */
export type LegacyVerification =
  | {
      readonly ok: true
      /** Which of the keys matched. */
      readonly keyIndex: number
      /** True when the header of the secret to come was the one that matched. */
      readonly next: boolean
    }
  | {
      readonly ok: false
      readonly code: LegacyVerificationCode
      readonly detail: string
    }

/**
 * Verifies `X-Service-Signature` or, beside it, `X-Service-Signature-Next`. Nothing here dates the message: whoever
 * acts on one keeps the ids that were handled for good.
 */
export function verifyLegacy(input: {
  readonly headers: HeaderSource
  readonly body: Uint8Array
  readonly keys: readonly LegacyKey[]
}): LegacyVerification {
  const { headers, body, keys } = input
  requireRawBody(body)
  requireKeys(keys)
  const signature = singleHeader(headers, current)
  if (typeof signature !== 'string') return signature
  const nextSignature = headerOnce(headers, next)
  if (nextSignature !== null && typeof nextSignature !== 'string') return nextSignature

  for (const text of [signature, nextSignature])
    if (text !== null && !grammar.test(text))
      return {
        ok: false,
        code: 'malformed_signature',
        detail: 'expected sha256= and 64 lower-case hex digits',
      }
  for (const [keyIndex, key] of keys.entries()) {
    const expected = signLegacy(key, body)
    if (equalText(signature, expected)) return { ok: true, keyIndex, next: false }
    if (nextSignature !== null && equalText(nextSignature, expected))
      return { ok: true, keyIndex, next: true }
  }
  return {
    ok: false,
    code: 'no_matching_signature',
    detail: `the signature fits none of ${keys.length} secrets: another secret, or a body that is not byte for byte what was sent`,
  }
}
