/** A clock that goes by what the service told, and by how much time passed here since; the clock of the device may be wrong. */
export interface ServerClock {
  /** Takes the `Date` of an answer that just came, until the service told its time itself. */
  note(date: string | null): void
  /** Takes the time that the service told in an answer that just came; the same one again is from an earlier answer. */
  tell(time: string): void
  /** Ms since the epoch by the service's clock; null before it told one. */
  now(): number | null
}

/** A `Date` is cut to the second: of two that fit each other, the one that is further along is closer. */
const cutMs = 1_000
/** A clock that differs by more was set anew. */
const mostDriftMs = 5_000

/** `monotonic`: ms that pass, such as `performance.now`. */
export function serverClock(monotonic: () => number): ServerClock {
  let offset: number | null = null
  let last: string | null = null
  return {
    tell: (time) => {
      const told = Date.parse(time)
      if (time === last || Number.isNaN(told)) return
      last = time
      offset = told - monotonic()
    },
    note: (date) => {
      if (last !== null) return
      const told = date === null ? Number.NaN : Date.parse(date)
      if (Number.isNaN(told)) return
      const found = told - monotonic()
      if (offset === null || found > offset || offset - found > mostDriftMs + cutMs) offset = found
    },
    now: () => (offset === null ? null : offset + monotonic()),
  }
}
