/** Bounds what unfinished bodies hold in memory, for all apps of a process together. */
export interface BodyRoom {
  /** A share for one body of this caller. */
  open(caller: string): BodyShare
}

/** What one body holds of the room. */
export interface BodyShare {
  /** Whether the body may hold so many bytes from now on; false changes nothing. */
  holds(bytes: number): boolean
  end(): void
}

/** The bounds of a `BodyRoom`. */
export interface BodyRoomOptions {
  /** Bytes of all bodies together (default 64 MiB). */
  readonly mostBytes?: number
  /** Bytes of one caller's bodies (default 16 MiB). */
  readonly perCaller?: number
}

const mebibyte = 1024 * 1024

/** Room for unfinished bodies; what has none is refused, and nothing waits. */
export function createBodyRoom(options: BodyRoomOptions = {}): BodyRoom {
  const { mostBytes = 64 * mebibyte, perCaller = 16 * mebibyte } = options
  const held = new Map<string, number>()
  let all = 0

  return {
    open(caller) {
      let bytes = 0

      function count(more: number): void {
        const callers = (held.get(caller) ?? 0) + more
        bytes += more
        all += more
        if (callers > 0) held.set(caller, callers)
        else held.delete(caller)
      }

      return {
        holds(now) {
          const more = now - bytes
          if (all + more > mostBytes || (held.get(caller) ?? 0) + more > perCaller) return false
          count(more)
          return true
        },
        end: () => count(-bytes),
      }
    },
  }
}
