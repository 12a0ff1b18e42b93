import { decodeBase64 } from './encoding.ts'
import { equalText } from './equal.ts'
import type { PublicKey, SharedSecretKey, VerifyKey } from './keys.ts'

/** The index of the first key under which one of the entries is valid, or -1. */
export function matchingKey(
  keys: readonly VerifyKey[],
  entries: readonly string[],
  prefix: string,
  body: Uint8Array,
): number {
  return keys.findIndex((key) =>
    key.scheme === 'v1'
      ? macMatches(key, entries, prefix, body)
      : signatureMatches(key, entries, prefix, body),
  )
}

/** Compares texts, not bytes: they are equal only where the sender used the one canonical encoding. */
function macMatches(
  key: SharedSecretKey,
  entries: readonly string[],
  prefix: string,
  body: Uint8Array,
): boolean {
  if (!entries.some((entry) => entry.startsWith('v1,'))) return false
  const expected = `v1,${key.mac(prefix, body, 'base64')}`
  return entries.some((entry) => equalText(entry, expected))
}

function signatureMatches(
  key: PublicKey,
  entries: readonly string[],
  prefix: string,
  body: Uint8Array,
): boolean {
  return entries.some((entry) => {
    const signature = entry.startsWith('v1a,') ? decodeBase64(entry.slice(4)) : null
    return signature !== null && key.verify(prefix, body, signature)
  })
}

/** For whoever reads the log of a receiver whose keys and messages do not fit. */
export function explainNoMatch(entries: readonly string[], keys: readonly VerifyKey[]): string {
  const schemes = new Set(entries.map((entry) => entry.slice(0, entry.indexOf(','))))
  if (keys.some((key) => schemes.has(key.scheme)))
    return `none of ${entries.length} signatures fits one of ${keys.length} keys: another key, or a body that is not byte for byte what was sent`
  if (schemes.has('v1a'))
    return 'the message is signed with Ed25519 (v1a), the keys are shared secrets: verify with the public key of the sender (whpk_…)'
  if (schemes.has('v1'))
    return 'the message is signed with a shared secret (v1), the keys are public keys: verify with the secret of this webhook (whsec_…)'
  return 'the message carries no v1 and no v1a signature'
}
