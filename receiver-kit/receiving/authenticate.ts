import {
  type HeaderSource,
  headerOnce,
  type LegacyKey,
  legacyKey,
  loadVerifyKey,
  type Primitives,
  type VerifyKey,
  verify,
  verifyLegacy,
} from '@countersign/core/signing'
import type { ReceiverRefusalCode } from './answer.ts'

/** Result of verification. Only the standard family signs the message id. */
export type Proof =
  | { readonly ok: true; readonly family: 'standard'; readonly id: string }
  | { readonly ok: true; readonly family: 'legacy' }
  | Unproven

export interface Unproven {
  readonly ok: false
  readonly code: ReceiverRefusalCode
  readonly detail: string
}

export interface KeyTexts {
  /** Keys of the Standard Webhooks profile: `whpk_…` (Ed25519) or `whsec_…` (shared secret). */
  readonly keys: readonly string[]
  /** Secrets of the legacy family's `X-Service-Signature`, as they were given to the webhook. */
  readonly legacySecrets: readonly string[]
}

export interface Authenticator {
  /** Refuses by headers alone, before the body is read; null to continue. */
  screen(headers: HeaderSource): Unproven | null
  prove(headers: HeaderSource, body: Uint8Array, now: number): Proof
}

const standardHeader = 'webhook-signature'
const standardHeaders = ['webhook-id', 'webhook-timestamp'] as const
const legacyHeader = 'x-service-signature'

/** Parses the keys once. Throws a SigningKeyError for an unusable key, a TypeError without keys. */
export function createAuthenticator(texts: KeyTexts, primitives: Primitives): Authenticator {
  const keys = texts.keys.map((text) => loadVerifyKey(text, primitives))
  const legacyKeys = texts.legacySecrets.map((secret) => legacyKey(secret, primitives))
  if (keys.length + legacyKeys.length === 0)
    throw new TypeError('expected at least one key to verify with, got none (keys, legacySecrets)')

  function screen(headers: HeaderSource): Unproven | null {
    if (headerOnce(headers, standardHeader) !== null) {
      if (keys.length === 0) return withoutKeys('keys')
      const missing = standardHeaders.find((name) => headerOnce(headers, name) === null)
      return missing === undefined ? null : unsigned(`expected the header ${missing}, got none`)
    }
    if (headerOnce(headers, legacyHeader) !== null)
      return legacyKeys.length > 0 ? null : withoutKeys('legacySecrets')
    return unsigned(`expected the header ${standardHeader} or ${legacyHeader}, got neither`)
  }

  return {
    screen,
    prove(headers, body, now) {
      const refused = screen(headers)
      if (refused) return refused
      return headerOnce(headers, standardHeader) === null
        ? proveLegacy(headers, body, legacyKeys)
        : proveStandard(headers, body, now, keys)
    },
  }
}

function unsigned(detail: string): Unproven {
  return { ok: false, code: 'unsigned', detail }
}

function withoutKeys(option: keyof KeyTexts): Unproven {
  const header = option === 'keys' ? standardHeader : legacyHeader
  return unsigned(`the message carries ${header}, and no key for it was given (${option})`)
}

function proveStandard(
  headers: HeaderSource,
  body: Uint8Array,
  now: number,
  keys: readonly VerifyKey[],
): Proof {
  const result = verify({ headers, body, keys, now })
  if (result.ok) return { ok: true, family: 'standard', id: result.id }
  switch (result.code) {
    case 'missing_header':
      return { ok: false, code: 'unsigned', detail: result.detail }
    case 'timestamp_too_old':
    case 'timestamp_too_new':
      return { ok: false, code: 'bad_timestamp', detail: result.detail }
    default:
      return { ok: false, code: 'bad_signature', detail: result.detail }
  }
}

function proveLegacy(headers: HeaderSource, body: Uint8Array, keys: readonly LegacyKey[]): Proof {
  const result = verifyLegacy({ headers, body, keys })
  if (result.ok) return { ok: true, family: 'legacy' }
  return { ok: false, code: 'bad_signature', detail: result.detail }
}
