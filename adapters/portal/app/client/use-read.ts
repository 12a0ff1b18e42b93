import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { noteRefusal } from '../session.ts'

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

/** After failures the pauses double up to this. */
const longestPauseMs = 60_000

/**
 * Reads when the page opens, whenever `key` changes, and each `everyMs` while the tab can be seen; old answers stay until
 * a newer one is there. `read` may be another function each time: `key` says whether it asks for something else.
 */
export function useRead<T>(
  key: string,
  read: (signal: AbortSignal) => PromiseLike<T>,
  { everyMs }: { readonly everyMs?: number } = {},
): Reading<T> {
  const data = useSignal<T | null>(null)
  const error = useSignal<unknown>(null)
  const at = useSignal<number | null>(null)
  const latest = useRef(read)
  latest.current = read
  const now = useRef(() => {})

  useEffect(() => {
    const ended = new AbortController()
    let timer = 0
    let failures = 0
    let reading: AbortController | null = null

    async function readNow(): Promise<void> {
      window.clearTimeout(timer)
      reading?.abort()
      const mine = new AbortController()
      reading = mine
      try {
        const found = await latest.current(AbortSignal.any([mine.signal, ended.signal]))
        if (mine.signal.aborted || ended.signal.aborted) return
        data.value = found
        error.value = null
        at.value = performance.now()
        failures = 0
      } catch (thrown) {
        if (mine.signal.aborted || ended.signal.aborted) return
        noteRefusal(thrown)
        error.value = thrown
        failures++
      }
      if (everyMs === undefined || document.hidden) return
      timer = window.setTimeout(readNow, Math.min(everyMs * 2 ** failures, longestPauseMs))
    }

    const onShown = () => {
      if (!document.hidden && everyMs !== undefined) void readNow()
    }
    now.current = () => void readNow()
    data.value = null
    error.value = null
    document.addEventListener('visibilitychange', onShown, { signal: ended.signal })
    window.addEventListener('online', onShown, { signal: ended.signal })
    void readNow()
    return () => {
      window.clearTimeout(timer)
      ended.abort()
    }
  }, [key, everyMs])

  return { data, error, at, again: () => now.current() }
}
