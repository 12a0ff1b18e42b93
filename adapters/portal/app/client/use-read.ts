import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { hasLapsed, noteRefusal } from '../session.ts'
import { shareRead } from './shared-reads.ts'

/** What a page read: the last answer, and why there is no newer one. */
export interface Reading<T> {
  readonly data: ReadonlySignal<T | null>
  /** Why the last try failed; null after one that succeeded. */
  readonly error: ReadonlySignal<unknown>
  /** When the last answer came, by the clock of this page. */
  readonly at: ReadonlySignal<number | null>
  /** Reads now. */
  again(): void
}

/** How a read is repeated. */
export interface Repeating {
  readonly everyMs?: number
  /**
   * The name under which other tabs of this browser read the very same, in the same type: one tab reads for all. Absent:
   * each reads for itself.
   */
  readonly sharedAs?: string
}

/** After failures the pauses double up to this. */
const longestPauseMs = 60_000
/** A tab that hears nothing for so many pauses reads for itself. */
const pausesOfSilence = 3

/**
 * Reads when the page opens, whenever `key` or `sharedAs` changes, and each `everyMs` while the tab can be seen; old
 * answers stay until a newer one is there. `read` may be another function each time: `key` says whether it asks for
 * something else.
 */
export function useRead<T>(
  key: string,
  read: (signal: AbortSignal) => PromiseLike<T>,
  { everyMs, sharedAs }: Repeating = {},
): Reading<T> {
  const data = useSignal<T | null>(null)
  const error = useSignal<unknown>(null)
  const at = useSignal<number | null>(null)
  const latest = useRef(read)
  latest.current = read
  const now = useRef(() => {})

  useLayoutEffect(() => {
    data.value = null
    error.value = null
  }, [key])

  // Not after the first paint, which takes long on a slow device and has nothing to show without the answer.
  useLayoutEffect(() => {
    const ended = new AbortController()
    let timer = 0
    let failures = 0
    let reading: AbortController | null = null
    let isReading = false

    function take(found: T): void {
      data.value = found
      error.value = null
      at.value = performance.now()
      failures = 0
    }

    function waitForNext(): void {
      window.clearTimeout(timer)
      if (everyMs === undefined || document.hidden) return
      const pauses = shared && !shared.isReader() ? pausesOfSilence : 1
      timer = window.setTimeout(readNow, Math.min(everyMs * pauses * 2 ** failures, longestPauseMs))
    }

    async function readNow(): Promise<void> {
      window.clearTimeout(timer)
      reading?.abort()
      const mine = new AbortController()
      reading = mine
      isReading = true
      try {
        const found = await latest.current(AbortSignal.any([mine.signal, ended.signal]))
        if (mine.signal.aborted || ended.signal.aborted) return
        isReading = false
        take(found)
        shared?.tell({ found })
      } catch (thrown) {
        if (mine.signal.aborted || ended.signal.aborted) return
        isReading = false
        noteRefusal(thrown)
        error.value = thrown
        failures++
        if (shared?.isReader()) shared.tell({})
      }
      waitForNext()
    }

    const onShown = () => {
      if (!document.hidden && everyMs !== undefined) void readNow()
    }
    now.current = () => void readNow()
    const shared =
      sharedAs === undefined || everyMs === undefined
        ? null
        : shareRead(sharedAs, {
            turn: () => {
              if (!isReading) waitForNext()
            },
            found: (found) => {
              // An own read that is under way, perhaps after a write, brings what is newer.
              if (isReading) return
              take(found as T)
              waitForNext()
            },
            failed: () => {
              if (!isReading) void readNow()
            },
          })
    document.addEventListener('visibilitychange', onShown, { signal: ended.signal })
    window.addEventListener('online', onShown, { signal: ended.signal })
    // What was refused for want of a session is read once there is one again.
    const unwatch = hasLapsed.subscribe((lapsed) => {
      if (!lapsed && failures > 0) void readNow()
    })
    void readNow()
    return () => {
      unwatch()
      window.clearTimeout(timer)
      ended.abort()
      shared?.end()
    }
  }, [key, everyMs, sharedAs])

  return { data, error, at, again: () => now.current() }
}
