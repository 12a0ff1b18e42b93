import type { Versioned } from '../../base/ports/store.ts'
import type { Routing } from '../records.ts'

/**
 * Longer than a commit takes. A turn-off is timed this far ahead, so that events committed before it are timed before
 * it; while a webhook is off, the horizon moves in steps of it.
 */
export const slackMs = 1_000

/** Max lead of an event's time over the clock: cases expire early by as much. */
export const leadMs = 60_000

/** How far the clocks of two processes on one store may lie apart. */
const apartMs = 60_000

/**
 * No clock that is right puts a mark of a switch further ahead, as a clock that may be behind it sees it: the lead of an
 * event, a second for the turn-off and one for the horizon.
 */
export const aheadMs: number = apartMs + leadMs + 2 * slackMs

/** A mark of a switch, now where a clock that ran ahead made it. */
export function backTo(now: number, mark: number): number {
  return mark > now + aheadMs ? now : mark
}

/** The row of a tenant without webhooks and channels. */
export function emptyRouting(tenantId: string): Routing {
  return {
    tenantId,
    routes: [],
    channels: [],
    changedAt: 0,
    horizon: 0,
    floor: null,
    latestMark: 0,
  }
}

/** The row with its own marks counted in `latestMark`, from `since` on. */
export function marked(row: Routing, since: number = row.latestMark): Routing {
  return { ...row, latestMark: Math.max(since, row.changedAt, row.horizon) }
}

type KnownRouting = Versioned<Routing> | null

/**
 * The row with the marks of a clock that ran ahead brought back to now; the same object where there are none. Events
 * that were missed under that clock are timed after the windows that close now. `latestMark` stays, by which the reset
 * finds the webhooks.
 */
export function broughtBack(row: Routing, now: number): Routing {
  const { changedAt, horizon, floor, routes } = row
  const marks = { changedAt: backTo(now, changedAt), horizon: backTo(now, horizon) }
  if (marks.changedAt === changedAt && marks.horizon === horizon) return row
  const isOff = routes.some(({ receiving }) => !receiving)
  return { ...row, ...marks, floor: isOff ? Math.min(floor ?? now, now) : null }
}

/**
 * The time of an event committed under this routing row, so that its time alone tells whether it lies in a missed
 * window; it may lie a moment ahead of the clock.
 */
export function eventTime(routing: KnownRouting, now: number): number {
  const changedAt = routing ? broughtBack(routing.row, now).changedAt : 0
  return Math.max(now, Math.min(changedAt, now + leadMs))
}

/** When a webhook is off from: later than every event that was sent to it. */
export function offTime(routing: KnownRouting, now: number): number {
  return eventTime(routing, now) + slackMs
}

/** When a webhook is on again from: later than every event that it missed. */
export function onTime(routing: KnownRouting, now: number): number {
  const horizon = routing ? broughtBack(routing.row, now).horizon : 0
  return Math.max(eventTime(routing, now), horizon)
}
