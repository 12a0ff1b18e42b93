import { useEffect, useRef } from 'preact/hooks'
import { isMeant } from './deciding.ts'

/** Tells whether a click or a key is meant: what is decided on has been in front long enough, and the key is not held. */
export interface Front {
  /** Something else came to the front now. */
  reset(): void
  isMeant(event: Event): boolean
}

/** `key`: of what is decided on, whose change brings something else to the front, as coming back to the window does. */
export function useFront(key: string): Front {
  const since = useRef(performance.now())
  const reset = () => {
    since.current = performance.now()
  }
  useEffect(() => {
    reset()
    const ended = new AbortController()
    const options = { signal: ended.signal }
    window.addEventListener('focus', reset, options)
    document.addEventListener('visibilitychange', reset, options)
    document.addEventListener('close', reset, { ...options, capture: true })
    return () => ended.abort()
  }, [key])
  return {
    reset,
    isMeant: (event) =>
      isMeant(
        { at: event.timeStamp, isRepeat: event instanceof KeyboardEvent && event.repeat },
        since.current,
      ),
  }
}
