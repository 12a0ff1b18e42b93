/** Memory that the bodies of one endpoint share, from their first byte until they are refused or stored. */
export interface BodyRoom {
  /**
   * Counts so many bytes for an owner in all; false when the room is full. A body with `evict` is unfinished, and the
   * largest of those gives way to whoever asks for less than it holds.
   */
  hold(owner: object, bytes: number, evict?: () => void): boolean
  /** Idempotent. */
  release(owner: object): void
}

interface Held {
  readonly bytes: number
  readonly evict: (() => void) | undefined
}

const nothing: Held = { bytes: 0, evict: undefined }

export function createBodyRoom(mostBytes: number): BodyRoom {
  const held = new Map<object, Held>()
  let all = 0

  function release(owner: object): void {
    all -= held.get(owner)?.bytes ?? 0
    held.delete(owner)
  }

  /** A flood of large forged bodies makes room for a small genuine one, and not the other way. */
  function evictLargerThan(bytes: number, asking: object): boolean {
    let [largest, most] = [asking, { ...nothing, bytes }]
    for (const [owner, each] of held)
      if (each.evict && owner !== asking && each.bytes > most.bytes) [largest, most] = [owner, each]
    if (largest === asking) return false
    release(largest)
    most.evict?.()
    return true
  }

  return {
    release,
    hold(owner, bytes, evict) {
      while (all - (held.get(owner)?.bytes ?? 0) + bytes > mostBytes)
        if (!evictLargerThan(bytes, owner)) return false
      release(owner)
      held.set(owner, { bytes, evict })
      all += bytes
      return true
    },
  }
}
