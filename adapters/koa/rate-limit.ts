import { type Result, refuse } from '@countersign/core/ledger'
import type { Clock, RateWindow } from '@countersign/core/ports'
import type { Context } from 'koa'

export interface RateLimit {
  readonly window: RateWindow
  /** Requests within a rolling minute. */
  readonly perMinute: number
}

const windowMs = 60_000

/** Counts an authenticated ingest request against its key and tells the caller where it stands. */
export function limitRate(ctx: Context, limit: RateLimit, clock: Clock, key: string): Result<null> {
  const now = clock.now()
  const hit = limit.window.hit({ key, now, windowMs, limit: limit.perMinute })
  ctx.set('X-RateLimit-Limit', String(limit.perMinute))
  ctx.set('X-RateLimit-Remaining', String(hit.remaining))
  ctx.set('X-RateLimit-Reset', String(Math.ceil(hit.resetAt / 1000)))
  if (hit.allowed) return { ok: true, value: null }
  return refuse('rate_limited', `expected at most ${limit.perMinute} requests a minute`, {
    retryAfter: Math.max(1, (hit.resetAt - now) / 1000),
  })
}
