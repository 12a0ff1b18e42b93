const dayMs = 86_400_000
/** Furthest date from 1970, ms in either direction (ECMA-262 21.4.1.1). */
const furthest = 100_000_000 * dayMs
/** Entries of the cache. */
const mostDays = 64

/** Cache of formatted days (`2026-11-21T`): the times of a record lie in few of them. */
const days = new Map<number, string>()

const digits = (value: number, length: number): string => String(value).padStart(length, '0')
const pairs: readonly string[] = Array.from({ length: 60 }, (_, value) => digits(value, 2))

/** ISO 8601 UTC with milliseconds, of ms since the epoch. */
export function isoTime(ms: number): string {
  if (!Number.isInteger(ms) || Math.abs(ms) > furthest) return new Date(ms).toISOString()
  const day = Math.floor(ms / dayMs)
  const within = ms - day * dayMs
  const seconds = Math.floor(within / 1000)
  const minutes = Math.floor(seconds / 60)
  return `${dateOf(day)}${pairs[Math.floor(minutes / 60)]}:${pairs[minutes % 60]}:${pairs[seconds % 60]}.${digits(within % 1000, 3)}Z`
}

function dateOf(day: number): string {
  const known = days.get(day)
  if (known !== undefined) return known
  const made = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length)
  if (days.size >= mostDays) days.clear()
  days.set(day, made)
  return made
}

/** `isoTime`, or null for null. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}
