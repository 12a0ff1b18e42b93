import { resetMs } from './records.ts'

/** Counts by key within an hour from the first, in this process. */
export interface HourlyLimit {
  /** Takes one; false where the key has none left. */
  take(key: string, now: number): boolean
}

/** Allows `most` an hour of each key. Of more than `capacity` keys the oldest is forgotten. */
export function createHourlyLimit(most: number, capacity = 50_000): HourlyLimit {
  const windows = new Map<string, { readonly from: number; readonly taken: number }>()
  return {
    take(key, now) {
      const held = windows.get(key)
      const window = held && now - held.from < resetMs ? held : { from: now, taken: 0 }
      if (window.taken >= most) return false
      if (window !== held) {
        // Insertion order is the order of the windows.
        windows.delete(key)
        const [oldest] = windows.size < capacity ? [] : windows.keys()
        if (oldest !== undefined) windows.delete(oldest)
      }
      windows.set(key, { from: window.from, taken: window.taken + 1 })
      return true
    },
  }
}
