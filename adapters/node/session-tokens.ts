import { webcrypto } from 'node:crypto'
import type { DeviceClaims, SessionClaims, SessionTokens } from '@countersign/core/ports'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'

/** Options of `sessionTokens`. */
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
/** Device tokens have their own type and audience, so that neither kind is accepted as the other. */
const deviceType = 'device+jwt'
const requiredOfDevices = ['iss', 'aud', 'sub', 'jti', 'iat', 'exp']
/** Most verified tokens kept in the cache, until they expire. */
const mostVerified = 5_000

/**
 * JWT, HMAC-SHA256, with `iss aud sub tid jti sv iat exp`; `aut` is the authenticator of a sign-in by passkey, `idp` the
 * time of one by the organization's provider, in seconds.
 */
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

  const deviceAudience = `${audience}#device`

  async function verifiedPayload(
    token: string,
    now: number,
    expected: Pick<JWTVerifyOptions, 'audience' | 'typ' | 'requiredClaims'>,
  ): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtVerify(token, await key, {
        algorithms: [algorithm],
        issuer,
        ...expected,
        currentDate: new Date(now),
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }

  return {
    issue: async ({ memberId, tenantId, tokenId, issuedAt, expiresAt, ...claims }) =>
      new SignJWT({
        ...{ tid: tenantId, sv: claims.sessionVersion },
        ...{ aut: claims.authenticatorId, idp: claims.providerAt },
      })
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
      const payload = await verifiedPayload(token, now, {
        audience,
        typ: 'JWT',
        requiredClaims: required,
      })
      const claims = payload && claimsOf(payload)
      if (!claims) return null
      const [oldest] = verified.size < mostVerified ? [] : verified.keys()
      if (oldest !== undefined) verified.delete(oldest)
      verified.set(token, claims)
      return claims
    },
    issueDevice: async ({ deviceId, subject, issuedAt, expiresAt }) =>
      new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: deviceType })
        .setIssuer(issuer)
        .setAudience(deviceAudience)
        .setSubject(subject)
        .setJti(deviceId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(await key),
    verifyDevice: async (token, now) => {
      const payload = await verifiedPayload(token, now, {
        audience: deviceAudience,
        typ: deviceType,
        requiredClaims: requiredOfDevices,
      })
      return payload && deviceClaimsOf(payload)
    },
  }
}

/** RFC 7519 4.1.4: on or after `exp` a token is refused. */
function isOver({ expiresAt }: SessionClaims, now: number): boolean {
  return Math.floor(now / 1000) >= expiresAt
}

function claimsOf({ sub, tid, sv, jti, iat, exp, aut, idp }: JWTPayload): SessionClaims | null {
  if (typeof sub !== 'string' || typeof tid !== 'string' || typeof jti !== 'string') return null
  if (!isWhole(sv) || !isWhole(iat) || !isWhole(exp)) return null
  if (aut !== undefined && typeof aut !== 'string') return null
  if (idp !== undefined && !isWhole(idp)) return null
  return {
    memberId: sub,
    tenantId: tid,
    sessionVersion: sv,
    tokenId: jti,
    ...(aut !== undefined && { authenticatorId: aut }),
    ...(idp !== undefined && { providerAt: idp }),
    issuedAt: iat,
    expiresAt: exp,
  }
}

function deviceClaimsOf({ sub, jti, iat, exp }: JWTPayload): DeviceClaims | null {
  if (typeof sub !== 'string' || typeof jti !== 'string' || !isWhole(iat) || !isWhole(exp))
    return null
  return { deviceId: jti, subject: sub, issuedAt: iat, expiresAt: exp }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
