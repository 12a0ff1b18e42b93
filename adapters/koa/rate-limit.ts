import type { Actor, ApplicationActor, CustomerKeyActor } from '@countersign/core'
import { usualRatePerMinute } from '@countersign/core/ledger'
import type { Clock, RateWindow } from '@countersign/core/ports'
import type { Context } from 'koa'
import { type HostResult, type Refused, refuse } from './refusal.ts'

/** A rolling window of requests for each key of the ingest host. */
export interface RateLimit {
  readonly window: RateWindow
  /** Requests of an application key within a rolling minute; a customer key has a rate of its own. */
  readonly perMinute: number
}

/** Of the portal, within a rolling minute. */
export interface PortalRateLimit {
  readonly window: RateWindow
  /** Requests of a member, from wherever. */
  readonly perMember: number
  /** Requests without a session, such as logins, of an address, or of all devices of a member who has logged in there before. */
  readonly perAddress: number
}

const windowMs = 60_000
/** Bodies and answers together: each so many bytes of a call count as one more request. */
export const bytesPerRequest = 256 * 1024

/** Counts an authenticated ingest request against its key and tells the caller where it stands. */
export function limitRate(
  ctx: Context,
  limit: RateLimit,
  clock: Clock,
  caller: ApplicationActor | CustomerKeyActor,
): HostResult<null> {
  const now = clock.now()
  const key = caller.keyId
  const perMinute =
    caller.kind === 'customerKey' ? (caller.ratePerMinute ?? usualRatePerMinute) : limit.perMinute
  const hit = limit.window.hit({ key, now, windowMs, limit: perMinute })
  ctx.set('X-RateLimit-Limit', String(perMinute))
  ctx.set('X-RateLimit-Remaining', String(hit.remaining))
  ctx.set('X-RateLimit-Reset', String(Math.ceil(hit.resetAt / 1000)))
  if (!hit.allowed) return tooMany(perMinute, hit.resetAt - now)
  ctx.state.meter = byteMeter(limit.window, clock, key)
  return { ok: true, value: null }
}

/** Counts the bytes of one call against its caller. */
export function byteMeter(window: RateWindow, clock: Clock, key: string): (bytes: number) => void {
  let rest = 0
  return (bytes) => {
    const requests = Math.floor((rest + bytes) / bytesPerRequest)
    rest = (rest + bytes) % bytesPerRequest
    if (requests > 0) window.charge({ key, now: clock.now(), requests })
  }
}

/** Counts a request of the portal or of staff against its member, or against the guest who has no session. */
export async function limitPortalRate(
  ctx: Context,
  limit: PortalRateLimit,
  clock: Clock,
  actor: Actor | null,
  guest: () => Promise<string>,
): Promise<HostResult<null>> {
  const now = clock.now()
  const [key, most] =
    actor?.kind === 'member'
      ? [`member ${actor.memberId}`, limit.perMember]
      : actor?.kind === 'staff'
        ? [`staff ${actor.name}`, limit.perMember]
        : [await guest(), limit.perAddress]
  const hit = limit.window.hit({ key, now, windowMs, limit: most })
  if (!hit.allowed) return tooMany(most, hit.resetAt - now)
  ctx.state.meter = byteMeter(limit.window, clock, key)
  return { ok: true, value: null }
}

/** Counts a failed authentication against the address that it came from. */
export function limitFailures(
  { window, perAddress }: PortalRateLimit,
  clock: Clock,
  key: string,
): HostResult<null> {
  const now = clock.now()
  const hit = window.hit({ key: `failures of ${key}`, now, windowMs, limit: perAddress })
  return hit.allowed ? { ok: true, value: null } : tooMany(perAddress, hit.resetAt - now)
}

function tooMany(perMinute: number, waitMs: number): Refused {
  return refuse('rate_limited', `expected at most ${perMinute} requests a minute`, {
    retryAfter: Math.max(1, waitMs / 1000),
  })
}

/** What counts the bytes of this call; of one that is not counted, nothing. */
export function meterOf(ctx: Context): (bytes: number) => void {
  return ctx.state.meter ?? (() => {})
}
