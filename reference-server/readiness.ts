import type { Clock } from '@countersign/core/ports'

/** What readiness asks of a store. */
export interface ProbedStore {
  /** Rejects with what keeps the store from taking an ordinary write or from reading it back. */
  readonly probe: () => Promise<void>
  /** Reads that the system failed since the store was opened. */
  readonly failures: () => { readonly count: number; readonly last: Error | null }
  /** Says who holds the lock that a probe waits for; null where nobody does. */
  readonly waitsFor: () => string | null
}

/** A write probe is a commit of its own, so it is made at most this often. */
const probeEveryMs = 1_000
/** Load balancers give a probe little time; one that waits for a lock is answered for. */
const answerMs = 900
/** A failed read keeps the server from being ready for so long. */
const failureMs = 10_000

/** Tells whether the store works: 'ok', or what is wrong; answers within a second, and holds an answer for a moment. */
export function createReadiness(store: ProbedStore, clock: Clock): () => Promise<string> {
  let asked = Number.NEGATIVE_INFINITY
  let answer: Promise<string> = Promise.resolve('unknown')
  let underWay = false
  let seen = store.failures().count
  let failedAt = Number.NEGATIVE_INFINITY

  function start(): Promise<string> {
    underWay = true
    return store.probe().then(
      () => 'ok',
      (error: Error) => `failed: ${error.message}`,
    )
  }

  /** The answer of the probe under way, or after a while what it waits for. */
  function inTime(): Promise<string> {
    const probed = answer
    return new Promise((resolve) => {
      const cancel = clock.after(answerMs, () => {
        const holder = store.waitsFor()
        resolve(
          `waiting: the store has not taken a write for ${answerMs} ms; ${holder ?? 'nobody is known to hold its lock'}`,
        )
      })
      void probed.then((text) => {
        cancel()
        resolve(text)
      })
    })
  }

  function failed(): string | null {
    const { count, last } = store.failures()
    const now = clock.monotonic()
    if (count > seen) failedAt = now
    seen = count
    if (now - failedAt >= failureMs) return null
    return `failed: the system failed reads of the store within the last 10 s, ${count} since the start; the last: ${last?.message}`
  }

  return async () => {
    if (!underWay && clock.monotonic() - asked >= probeEveryMs) {
      asked = clock.monotonic()
      answer = start().finally(() => {
        underWay = false
      })
    }
    const probed = await inTime()
    return probed === 'ok' ? (failed() ?? 'ok') : probed
  }
}
