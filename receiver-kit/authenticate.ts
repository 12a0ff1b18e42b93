import {
  type HeaderSource,
  headerOnce,
  loadVerifyKey,
  type Primitives,
  type ServiceKey,
  serviceKey,
  type VerifyKey,
  verify,
  verifyService,
} from '@countersign/core/signing'
import type { RefusalCode } from './answer.ts'

/** What a valid signature proves: who sent the bytes and, in the standard family, under which id. */
export type Proof =
  | { readonly ok: true; readonly family: 'standard'; readonly id: string }
  | { readonly ok: true; readonly family: 'service' }
  | { readonly ok: false; readonly code: RefusalCode; readonly detail: string }

export interface KeyTexts {
  /** Keys of the Standard Webhooks profile: `whpk_…` (Ed25519) or `whsec_…` (shared secret). */
  readonly keys: readonly string[]
  /** Secrets of the older family's `X-Service-Signature`, as they were given to the webhook. */
  readonly olderSecrets: readonly string[]
}

export type Authenticate = (headers: HeaderSource, body: Uint8Array, now: number) => Proof

const standardHeader = 'webhook-signature'
const olderHeader = 'x-service-signature'

/** Prepares the keys once; throws a SigningKeyError for one that can't be used. */
export function createAuthenticate(texts: KeyTexts, primitives: Primitives): Authenticate {
  const keys = texts.keys.map((text) => loadVerifyKey(text, primitives))
  const olderKeys = texts.olderSecrets.map((secret) => serviceKey(secret, primitives))
  if (keys.length + olderKeys.length === 0)
    throw new TypeError('expected at least one key to verify with, got none')
  return (headers, body, now) => {
    if (headerOnce(headers, standardHeader) !== null)
      return keys.length > 0 ? proveStandard(headers, body, now, keys) : withoutKeys('keys')
    if (headerOnce(headers, olderHeader) !== null)
      return olderKeys.length > 0
        ? proveOlder(headers, body, olderKeys)
        : withoutKeys('olderSecrets')
    return {
      ok: false,
      code: 'unsigned',
      detail: `expected the header ${standardHeader} or ${olderHeader}, got neither`,
    }
  }
}

function withoutKeys(option: keyof KeyTexts): Proof {
  const header = option === 'keys' ? standardHeader : olderHeader
  const detail = `the message carries ${header}, and no key for it was given (${option})`
  return { ok: false, code: 'unsigned', detail }
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

function proveOlder(headers: HeaderSource, body: Uint8Array, keys: readonly ServiceKey[]): Proof {
  const result = verifyService({ headers, body, keys })
  if (result.ok) return { ok: true, family: 'service' }
  return { ok: false, code: 'bad_signature', detail: result.detail }
}
