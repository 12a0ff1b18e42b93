import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Random } from '../../base/ports/random.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import { base64Url, decodeBase64Url } from '../../proof/signing/encoding.ts'

/** From the issue of a challenge, or of a statement to sign, to its end, ms. */
export const challengeMs: number = 5 * 60_000
/** By how much the clocks of processes on one store may differ, ms. */
const clockSkewMs = 60_000
const randomBytes = 16
const fromUtf8 = new TextDecoder()

/** What a challenge is issued for: its kind, whose it is, and whatever else it is bound to. */
export type Purpose = readonly (string | number | null)[]

/**
 * A challenge that the service knows again without storing it: 16 random bytes and the time of issue, sealed for this
 * purpose. Unpadded base64url.
 */
export function issueChallenge(
  { sealer, random }: { readonly sealer: Sealer; readonly random: Random },
  purpose: Purpose,
  issuedAt: number,
): string {
  const plain = concatBytes(random.bytes(randomBytes), utf8ToBytes(String(issuedAt)))
  return base64Url(sealer.seal(plain, contextOf(purpose)))
}

/** When a challenge was issued for this purpose, ms; null for one that was not, or has ended at `now`. */
export function challengeTime(
  sealer: Sealer,
  challenge: string,
  purpose: Purpose,
  now: number,
  lastsMs: number = challengeMs,
): number | null {
  const sealed = decodeBase64Url(challenge)
  const plain = sealed && opened(sealer, sealed, purpose)
  if (!plain) return null
  const issuedAt = Number(fromUtf8.decode(plain.subarray(randomBytes)))
  const age = now - issuedAt
  return age < lastsMs && age >= -clockSkewMs ? issuedAt : null
}

function opened(sealer: Sealer, sealed: Uint8Array, purpose: Purpose): Uint8Array | null {
  try {
    return sealer.open(sealed, contextOf(purpose))
  } catch {
    // Callers send it: it may be anything.
    return null
  }
}

function contextOf(purpose: Purpose): string {
  return JSON.stringify(['challenge', ...purpose])
}
