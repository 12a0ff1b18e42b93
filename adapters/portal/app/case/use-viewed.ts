import { useEffect, useRef } from 'preact/hooks'

/** The longest time in view that the service takes, ms. */
const longestMs = 86_400_000

/** Tells for how many ms a page could be seen so far: time in which its tab is hidden does not count. */
export interface Viewed {
  /** The page can be seen from now on, or can not. */
  note(isVisible: boolean): void
  ms(): number
}

/** Begins hidden. `now`: ms by a clock that does not jump. */
export function viewedBy(now: () => number): Viewed {
  let before = 0
  let since: number | null = null
  const ms = () => before + (since === null ? 0 : now() - since)
  return {
    note: (isVisible) => {
      before = ms()
      since = isVisible ? now() : null
    },
    ms: () => Math.min(longestMs, Math.round(ms())),
  }
}

/** For how long what calls it was drawn and could be seen, ms. */
export function useViewed(): () => number {
  const viewed = useRef<Viewed | null>(null)
  viewed.current ??= viewedBy(() => performance.now())
  const { note, ms } = viewed.current
  useEffect(() => {
    const look = () => note(!document.hidden)
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return ms
}
