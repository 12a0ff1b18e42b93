import type { RateWindow } from '@countersign/core/ports'

/** Options of `rateWindow`. */
export interface RateWindowOptions {
  /** Most keys held; above it the least recently used key is evicted and its window restarts. */
  readonly maxKeys?: number
}

/** One charge never holds more memory than this many moments. */
const mostCharged = 10_000

/** Rolling windows in this process: the times of each key's requests. */
export function rateWindow(options: RateWindowOptions = {}): RateWindow {
  const { maxKeys = 10_000 } = options
  // Insertion order is recency: each hit reinserts its key.
  const logs = new Map<string, number[]>()

  function keep(key: string, log: number[]): void {
    logs.delete(key)
    logs.set(key, log)
    for (const oldest of logs.keys()) {
      if (logs.size <= maxKeys) break
      logs.delete(oldest)
    }
  }

  return {
    hit({ key, now, windowMs, limit }) {
      const log = logs.get(key) ?? []
      // After the clock was set back, times lie in the future; they count as now, so that they expire.
      if ((log.at(-1) ?? now) > now)
        for (const at of log.keys()) log[at] = Math.min(log[at] ?? now, now)
      const gone = log.findIndex((moment) => moment > now - windowMs)
      log.splice(0, gone === -1 ? log.length : gone)
      const allowed = log.length < limit
      if (allowed) log.push(now)
      keep(key, log)
      return {
        allowed,
        remaining: Math.max(0, limit - log.length),
        resetAt: (log[0] ?? now) + windowMs,
      }
    },
    charge({ key, now, requests }) {
      const log = logs.get(key) ?? []
      const more = Math.min(requests, mostCharged)
      for (let at = 0; at < more; at++) log.push(now)
      keep(key, log)
    },
  }
}
