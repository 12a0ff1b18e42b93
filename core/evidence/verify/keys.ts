import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { thumbprintOf } from '../../proof/signed-text.ts'
import { portablePrimitives } from '../../proof/signing/portable.ts'
import type { Ed25519Verifier, Primitives } from '../../proof/signing/primitives.ts'
import { base64UrlBytes } from './read.ts'

/** Public evidence keys by thumbprint (RFC 7638). */
export type EvidenceKeys = ReadonlyMap<string, Ed25519Verifier>

/**
 * The Ed25519 keys of a JWK or a JWK set (RFC 7517, RFC 8037), each under the thumbprint of its own bytes, whatever
 * `kid` says; null for any other JSON and for keys that no signature should be checked with.
 */
export function readEvidenceKeys(
  json: unknown,
  primitives: Pick<Primitives, 'ed25519Verifier'> = portablePrimitives,
): EvidenceKeys | null {
  const keys = isObject(json) && Array.isArray(json.keys) ? json.keys : [json]
  const found = new Map<string, Ed25519Verifier>()
  for (const key of keys) {
    if (!isObject(key) || key.kty !== 'OKP' || key.crv !== 'Ed25519') return null
    const bytes = typeof key.x === 'string' ? base64UrlBytes(key.x) : null
    if (bytes === null) return null
    try {
      found.set(thumbprintOf(bytes), primitives.ed25519Verifier(bytes))
    } catch {
      return null
    }
  }
  return found
}

/** Longest text whose judgement is kept: entries of a ledger, of which one stands beside every leaf of a batch. */
const mostRemembered = 2_048

/** Keys that remember the last short text that they judged, for the seals of one batch have one anchor. */
export function remembering(keys: EvidenceKeys): EvidenceKeys {
  return new Map(
    [...keys].map(([keyId, verify]) => {
      let last = { name: '', holds: false }
      return [
        keyId,
        (prefix, text, signature) => {
          if (text.length > mostRemembered) return verify(prefix, text, signature)
          const name = `${prefix} ${bytesToHex(signature)} ${bytesToHex(text)}`
          if (name !== last.name) last = { name, holds: verify(prefix, text, signature) }
          return last.holds
        },
      ]
    }),
  )
}
