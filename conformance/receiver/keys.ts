import {
  type LegacyKey,
  legacyKey,
  loadSigningKey,
  type ParsedKey,
  parseKey,
  type SigningKey,
} from '@countersign/core/signing'
import { nodePrimitives } from './node-primitives.ts'
import { UsageError } from './usage-error.ts'

/** What the receiver under test verifies with; all of it is valid at once. */
export interface KeyTexts {
  /** `whsec_…` and `whsk_…`; the first signs wherever one is enough. */
  readonly keys: readonly string[]
  /** The secret of the legacy family (`X-Service-Signature`), as it was given to the webhook. */
  readonly legacySecret?: string | undefined
}

/** A key with its text, which a confused receiver may take for the key's bytes. */
export interface KnownKey {
  readonly text: string
  readonly parsed: ParsedKey
  readonly key: SigningKey
}

export interface Keys {
  readonly standard: readonly SigningKey[]
  readonly known: readonly KnownKey[]
  readonly legacy: LegacyKey | null
  /** Keys that the receiver does not know, one of each scheme. */
  readonly strangers: readonly SigningKey[]
  readonly strangerLegacy: LegacyKey
}

/** Throws a SigningKeyError for a key that can't sign, a UsageError for none. */
export function loadKeys({ keys, legacySecret }: KeyTexts): Keys {
  if (keys.length === 0) throw new UsageError('expected at least one key to sign with, got none')
  const load = (text: string) => loadSigningKey(text, nodePrimitives)
  const known = keys.map((text) => ({ text, parsed: parseKey(text), key: load(text) }))
  return {
    standard: known.map(({ key }) => key),
    known,
    legacy: legacySecret === undefined ? null : legacyKey(legacySecret, nodePrimitives),
    strangers: [
      load(`whsec_${Buffer.alloc(32, 'stranger').toString('base64')}`),
      load(`whsk_${Buffer.alloc(32, 'stranger').toString('base64')}`),
    ],
    strangerLegacy: legacyKey('a secret that the receiver does not know', nodePrimitives),
  }
}
