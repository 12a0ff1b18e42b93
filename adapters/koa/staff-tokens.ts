import { createHash, timingSafeEqual } from 'node:crypto'
import type { StaffActor } from '@countersign/core'
import { addressKey } from '@countersign/core/access'
import { ok } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { bearerOf } from './bearer.ts'
import type { ApiOptions, StaffToken } from './options.ts'
import { limitFailures } from './rate-limit.ts'
import { type HostResult, refuse } from './refusal.ts'

/** The staff member whose token the request carries. Failures of an address are limited, valid tokens never kept out. */
export function authenticateStaff(
  { staffTokens = [], portalRateLimit, clock }: ApiOptions,
  ctx: Context,
): HostResult<StaffActor> {
  const name = nameOf(bearerOf(ctx) ?? '', staffTokens)
  if (name !== null) return ok({ kind: 'staff', name })
  const within = limitFailures(portalRateLimit, clock, `staff ${addressKey(ctx.ip)}`)
  if (!within.ok) return within
  // RFC 9110 15.5.2: a 401 names a scheme.
  ctx.set('WWW-Authenticate', 'Bearer')
  return refuse('authentication_required', 'expected a staff token in Authorization: Bearer')
}

/** Compares hashes, each with every one: how long it takes tells neither a token's length nor which one was close. */
function nameOf(token: string, tokens: readonly StaffToken[]): string | null {
  const hash = createHash('sha256').update(token).digest()
  let found: string | null = null
  for (const { name, sha256 } of tokens)
    if (timingSafeEqual(hash, Buffer.from(sha256, 'hex'))) found = name
  return found
}
