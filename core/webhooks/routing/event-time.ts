import type { Versioned } from '../../ports/store.ts'
import type { Routing } from '../records.ts'

/**
 * Longer than a commit takes. A turn-off is timed this far ahead, so that events committed before it are timed before
 * it; while a webhook is off, the horizon moves in steps of it.
 */
export const slackMs = 1_000

/** Max lead of an event's time over the clock: cases expire early by as much. */
export const leadMs = 60_000

type KnownRouting = Versioned<Routing> | null

/**
 * The time of an event committed under this routing row, so that its time alone tells whether it lies in a missed
 * window; it may lie a moment ahead of the clock.
 */
export function eventTime(routing: KnownRouting, now: number): number {
  return Math.max(now, Math.min(routing?.row.changedAt ?? 0, now + leadMs))
}

/** When a webhook is off from: later than every event that was sent to it. */
export function offTime(routing: KnownRouting, now: number): number {
  return eventTime(routing, now) + slackMs
}

/** When a webhook is on again from: later than every event that it missed. */
export function onTime(routing: KnownRouting, now: number): number {
  return Math.max(eventTime(routing, now), routing?.row.horizon ?? 0)
}
