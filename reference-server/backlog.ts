/** Deliveries in one state: how many there are, and since when the oldest waits. */
export interface Backlog {
  readonly depth: number
  /** Ms since the epoch, down to the minute; null when nothing waits. */
  readonly oldest: number | null
  add(createdAt: number, count?: number): void
  remove(createdAt: number): void
}

const minuteMs = 60_000

/**
 * Counts by the minute of creation, so that memory does not grow with what waits: deliveries wait for three days, which
 * are 4,320 minutes. What was counted under an earlier minute than its own (`add` with a count) is removed from there.
 */
export function createBacklog(): Backlog {
  const minutes = new Map<number, number>()
  let depth = 0

  function minuteFor(createdAt: number): number | null {
    const own = Math.floor(createdAt / minuteMs)
    if (minutes.has(own)) return own
    let before: number | null = null
    let least: number | null = null
    for (const minute of minutes.keys()) {
      if (minute < own && (before === null || minute > before)) before = minute
      if (least === null || minute < least) least = minute
    }
    return before ?? least
  }

  return {
    get depth() {
      return depth
    },
    get oldest() {
      return minutes.size === 0 ? null : Math.min(...minutes.keys()) * minuteMs
    },
    add(createdAt, count = 1) {
      if (count === 0) return
      const minute = Math.floor(createdAt / minuteMs)
      minutes.set(minute, (minutes.get(minute) ?? 0) + count)
      depth += count
    },
    remove(createdAt) {
      const minute = minuteFor(createdAt)
      if (minute === null) return
      const left = (minutes.get(minute) ?? 0) - 1
      if (left > 0) minutes.set(minute, left)
      else minutes.delete(minute)
      depth--
    },
  }
}
