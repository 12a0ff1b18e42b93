/** Whoever waits at a gate; null is nobody by name, and one owner like others. */
export type Owner = string | null

/** Lets so many in at a time. */
export interface FairGate {
  /** Ends the turn when called; null where `until` passed first. */
  enter(owner: Owner, until: number): Promise<(() => void) | null>
  /** Lets in whoever may enter by now. */
  admit(): void
  /** Turns away those whose time is over. */
  expire(now: number): void
  /** How many owners have somebody waiting. */
  readonly size: number
  /** Owners with somebody waiting. */
  waiting(): Iterable<Owner>
}

interface Waiter {
  readonly until: number
  readonly settle: (leave: (() => void) | null) => void
}

/**
 * Owners take turns, each with its own first, so that a long line of one delays the others by a turn at most. An owner
 * without room waits and holds up nobody.
 */
export function createFairGate(most: number, hasRoom: (owner: Owner) => boolean): FairGate {
  // Owners in the order in which they are served next.
  const lines = new Map<Owner, Waiter[]>()
  let inside = 0

  function nextOwner(): Owner | undefined {
    for (const owner of lines.keys()) if (hasRoom(owner)) return owner
    return undefined
  }

  function admit(): void {
    while (inside < most) {
      const owner = nextOwner()
      if (owner === undefined) return
      const line = lines.get(owner)
      lines.delete(owner)
      const next = line?.shift()
      if (line && line.length > 0) lines.set(owner, line)
      next?.settle(takePlace())
    }
  }

  function takePlace(): () => void {
    let left = false
    inside++
    return () => {
      if (left) return
      left = true
      inside--
      admit()
    }
  }

  return {
    enter: (owner, until) =>
      new Promise((settle) => {
        const line = lines.get(owner) ?? []
        line.push({ until, settle })
        lines.set(owner, line)
        admit()
      }),
    admit,
    expire(now) {
      for (const [owner, line] of lines) {
        const left = line.filter(({ until }) => until > now)
        if (left.length === line.length) continue
        for (const { until, settle } of line) if (until <= now) settle(null)
        if (left.length > 0) lines.set(owner, left)
        else lines.delete(owner)
      }
    },
    get size() {
      return lines.size
    },
    waiting: () => lines.keys(),
  }
}
