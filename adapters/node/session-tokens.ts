import { webcrypto } from 'node:crypto'
import type { SessionClaims, SessionTokens } from '@countersign/core/ports'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'

export interface SessionTokenOptions {
  /** At least 32 bytes. */
  readonly secret: Uint8Array
  /** `iss`: the portal's URL. */
  readonly issuer: string
  /** `aud`; the issuer unless given. */
  readonly audience?: string
}

/** Pinned on both sides: a token never chooses how it is verified. */
const algorithm = 'HS256'
const required = ['iss', 'aud', 'sub', 'tid', 'jti', 'sv', 'iat', 'exp']
/** Tokens that were found to be ours are known by their text for so long as they last. */
const mostVerified = 5_000

/** JWT, HMAC-SHA256, with `iss aud sub tid jti sv iat exp`. */
export function sessionTokens(options: SessionTokenOptions): SessionTokens {
  const { secret, issuer, audience = issuer } = options
  if (secret.length < 32)
    throw new TypeError(`expected a session secret of at least 32 bytes, got ${secret.length}`)
  const key = webcrypto.subtle.importKey(
    'raw',
    Uint8Array.from(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  )

  const verified = new Map<string, SessionClaims>()

  async function verifyAnew(token: string, now: number): Promise<SessionClaims | null> {
    try {
      const { payload } = await jwtVerify(token, await key, {
        algorithms: [algorithm],
        issuer,
        audience,
        typ: 'JWT',
        requiredClaims: required,
        currentDate: new Date(now),
      })
      return claimsOf(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }

  return {
    issue: async ({ memberId, tenantId, sessionVersion, tokenId, issuedAt, expiresAt }) =>
      new SignJWT({ tid: tenantId, sv: sessionVersion })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(memberId)
        .setJti(tokenId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(await key),
    verify: async (token, now) => {
      const known = verified.get(token)
      if (known) return isOver(known, now) ? null : known
      const claims = await verifyAnew(token, now)
      if (!claims) return null
      const [oldest] = verified.size < mostVerified ? [] : verified.keys()
      if (oldest !== undefined) verified.delete(oldest)
      verified.set(token, claims)
      return claims
    },
  }
}

/** RFC 7519 4.1.4: on or after `exp` a token is refused. */
function isOver({ expiresAt }: SessionClaims, now: number): boolean {
  return Math.floor(now / 1000) >= expiresAt
}

function claimsOf({ sub, tid, sv, jti, iat, exp }: JWTPayload): SessionClaims | null {
  if (typeof sub !== 'string' || typeof tid !== 'string' || typeof jti !== 'string') return null
  if (!isWhole(sv) || !isWhole(iat) || !isWhole(exp)) return null
  return {
    memberId: sub,
    tenantId: tid,
    sessionVersion: sv,
    tokenId: jti,
    issuedAt: iat,
    expiresAt: exp,
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
