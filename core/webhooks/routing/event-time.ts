import type { Versioned } from '../../ports/store.ts'
import type { Routing } from '../records.ts'

/**
 * Further ahead of the clock than a commit takes. A webhook is turned off so much ahead, that what was committed
 * before is timed before; and while one is off, the horizon moves in steps of it.
 */
export const slackMs = 1_000

/**
 * No event is timed further ahead of the clock, whatever the clock showed when a webhook was turned off: cases would
 * expire by as much early.
 */
export const leadMs = 60_000

type Seen = Versioned<Routing> | null

/**
 * The time of an event committed under this routing row, so that its time alone tells whether it lies in a missed
 * window; it may lie a moment ahead of the clock.
 */
export function eventTime(routing: Seen, now: number): number {
  return Math.max(now, Math.min(routing?.row.changedAt ?? 0, now + leadMs))
}

/** When a webhook is off from: later than every event that was sent to it. */
export function offTime(routing: Seen, now: number): number {
  return eventTime(routing, now) + slackMs
}

/** When a webhook is on again from: later than every event that it missed. */
export function onTime(routing: Seen, now: number): number {
  return Math.max(eventTime(routing, now), routing?.row.horizon ?? 0)
}
