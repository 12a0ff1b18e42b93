/** Memory that the bodies of one endpoint share, from their first byte until they are refused or stored. */
export interface BodyRoom {
  /**
   * Counts so many bytes for an owner in all; false when the room is full. A body with `evict` is unfinished, and the one
   * that began first gives way, unless it is the one that asks.
   */
  hold(owner: object, bytes: number, evict?: () => void): boolean
  /** Idempotent. */
  release(owner: object): void
}

interface Held {
  readonly bytes: number
  readonly evict: (() => void) | undefined
}

export function createBodyRoom(mostBytes: number): BodyRoom {
  // In the order in which they began: to set an owner again leaves it in its place.
  const held = new Map<object, Held>()
  let all = 0

  function release(owner: object): void {
    all -= held.get(owner)?.bytes ?? 0
    held.delete(owner)
  }

  /** A genuine body comes whole within moments; a forged one that is held is older, whatever its size. */
  function evictOldest(asking: object): boolean {
    for (const [owner, { evict }] of held) {
      if (!evict) continue
      if (owner === asking) return false
      release(owner)
      evict()
      return true
    }
    return false
  }

  return {
    release,
    hold(owner, bytes, evict) {
      const others = () => all - (held.get(owner)?.bytes ?? 0)
      // Alone it is bounded by what one body may have.
      while (others() > 0 && others() + bytes > mostBytes) if (!evictOldest(owner)) return false
      all = others() + bytes
      held.set(owner, { bytes, evict })
      return true
    },
  }
}
