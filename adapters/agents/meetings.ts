/** Where several wait for each other. */
export type Meeting = ReturnType<typeof createMeeting>

/** Where calls wait for each other, so that all of their approvals are used, or none of them. */
export interface Together {
  /** Is awaited once the approval is claimed. */
  claimed(): Promise<void>
  /** Is awaited once its signature was checked after that, as the last thing before it is used. */
  checked(): Promise<void>
}

/** Creates a meeting; whoever is waited for joins before the first of them awaits. */
export function createMeeting(signal?: AbortSignal) {
  const all: Promise<void>[] = []
  let ended: Promise<void> | null = null
  return {
    /**
     * Joins those who are waited for. `arrived` has to be called. `met` resolves once all have, and rejects where the
     * signal has aborted by then: it is looked at once, so that none of them goes on without the others.
     */
    join() {
      let arrived = () => {}
      all.push(
        new Promise((resolve) => {
          arrived = resolve
        }),
      )
      const met = () => {
        arrived()
        ended ??= Promise.all(all).then(() => signal?.throwIfAborted())
        return ended
      }
      return { arrived, met }
    },
  }
}

/** Creates where approvals are used together; whoever is waited for joins before the first of them awaits. */
export function createTogether(signal?: AbortSignal) {
  const claims = createMeeting()
  const checks = createMeeting(signal)
  return {
    /** `left` has to be called. */
    join() {
      const [claim, check] = [claims.join(), checks.join()]
      const together: Together = { claimed: claim.met, checked: check.met }
      const left = () => {
        claim.arrived()
        check.arrived()
      }
      return { together, left }
    },
  }
}
