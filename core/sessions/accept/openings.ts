/**
 * New sessions of one export against the quota. Its units of work run beside each other, and none sees in the counter
 * what the others are about to add.
 */
export interface Openings {
  /** Whether a new session fits, which is then counted; again for the same session it is counted once. */
  admits(sessionId: string, used: number, quota: number | null): boolean
}

/** `used`, as each unit of work reads it, holds what others opened; the least is from before this export opened any. */
export function createOpenings(): Openings {
  let before = Number.POSITIVE_INFINITY
  const own = new Set<string>()
  return {
    admits(sessionId, used, quota) {
      before = Math.min(before, used)
      if (quota === null || own.has(sessionId)) return true
      if (Math.max(used, before + own.size) >= quota) return false
      own.add(sessionId)
      return true
    },
  }
}
