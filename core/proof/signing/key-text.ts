import { decodeBase64, encodeBase64 } from './encoding.ts'
import { SigningKeyError } from './key-error.ts'
import { requirePublicKeyLength, requireSecretLength, requireSeedLength } from './key-length.ts'

/** A key as its text says it (Standard Webhooks: `whsec_`, `whsk_`, `whpk_`). */
export type ParsedKey =
  | { readonly kind: 'shared_secret'; readonly secret: Uint8Array }
  | {
      readonly kind: 'private_key'
      readonly seed: Uint8Array
      /** As claimed by the text; null when it holds the seed alone. */
      readonly publicKey: Uint8Array | null
    }
  | { readonly kind: 'public_key'; readonly publicKey: Uint8Array }

/** Throws a SigningKeyError; whether a public key is sound is seen when it is prepared. */
export function parseKey(text: string): ParsedKey {
  const { prefix, bytes } = split(text)
  switch (prefix) {
    case 'whsec_':
      requireSecretLength(bytes)
      return { kind: 'shared_secret', secret: bytes }
    case 'whsk_':
      return privateKeyOf(bytes)
    case 'whpk_':
      requirePublicKeyLength(bytes)
      return { kind: 'public_key', publicKey: bytes }
  }
}

function privateKeyOf(bytes: Uint8Array): ParsedKey {
  if (bytes.length === 32) return { kind: 'private_key', seed: bytes, publicKey: null }
  if (bytes.length === 64)
    return { kind: 'private_key', seed: bytes.slice(0, 32), publicKey: bytes.slice(32) }
  throw new SigningKeyError(
    'invalid_length',
    `expected a whsk_ key of 64 bytes (seed and public key) or 32 (seed), got ${bytes.length}`,
  )
}

/** `whsec_` of 24 to 64 random bytes; we make 32. */
export function formatSharedSecret(secret: Uint8Array): string {
  requireSecretLength(secret)
  return `whsec_${encodeBase64(secret)}`
}

/** `whsk_` of the 32-byte seed followed by its public key. */
export function formatPrivateKey(seed: Uint8Array, publicKey: Uint8Array): string {
  requireSeedLength(seed)
  requirePublicKeyLength(publicKey)
  const both = new Uint8Array(64)
  both.set(seed)
  both.set(publicKey, 32)
  return `whsk_${encodeBase64(both)}`
}

/** `whpk_` of the 32-byte public key. */
export function formatPublicKey(publicKey: Uint8Array): string {
  requirePublicKeyLength(publicKey)
  return `whpk_${encodeBase64(publicKey)}`
}

const prefixes = ['whsec_', 'whsk_', 'whpk_'] as const

function split(text: unknown): { prefix: (typeof prefixes)[number]; bytes: Uint8Array } {
  if (typeof text !== 'string')
    throw new SigningKeyError(
      'not_text',
      `expected a key as text (whsec_…, whsk_… or whpk_…), got ${text === null ? 'null' : typeof text}`,
    )
  if (text.trim() !== text)
    throw new SigningKeyError(
      'white_space',
      'the key has white space around it, perhaps the line break of the file that it was read from',
    )
  const prefix = prefixes.find((known) => text.startsWith(known))
  if (!prefix) throw new SigningKeyError('unknown_prefix', withoutPrefix(text))
  const payload = text.slice(prefix.length)
  const bytes = decodeBase64(payload)
  if (!bytes) throw new SigningKeyError('invalid_base64', notBase64(prefix, payload))
  return { prefix, bytes }
}

function withoutPrefix(text: string): string {
  const expected = 'expected a key that begins with whsec_, whsk_ or whpk_, got'
  if (text.startsWith('-----BEGIN')) return `${expected} PEM: use the raw 32 bytes in base64`
  if (text.startsWith('{')) return `${expected} JSON: of a JWK, use the bytes of its "x" (or "d")`
  if (text === '') return `${expected} an empty text`
  return `${expected} ${text.length} characters without one: write a raw secret as whsec_ and its base64`
}

function notBase64(prefix: string, payload: string): string {
  const expected = `expected padded standard base64 after ${prefix}, got`
  if (/^[\w-]+=*$/.test(payload) && /[-_]/.test(payload))
    return `${expected} the URL-safe alphabet: - and _ stand for + and /`
  if (/^[A-Za-z0-9+/]+$/.test(payload) && payload.length % 4 !== 0)
    return `${expected} ${payload.length} characters, not a multiple of four: cut off, or its = padding was`
  return `${expected} text that is not its own re-encoding`
}
