/** A clock that goes by what the service told, and by how much time passed here since; the clock of the device may be wrong. */
export interface ServerClock {
  /** Takes the `Date` of an answer that just came. */
  note(date: string | null): void
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
  return {
    note: (date) => {
      const told = date === null ? Number.NaN : Date.parse(date)
      if (Number.isNaN(told)) return
      const found = told - monotonic()
      if (offset === null || found > offset || offset - found > mostDriftMs + cutMs) offset = found
    },
    now: () => (offset === null ? null : offset + monotonic()),
  }
}
