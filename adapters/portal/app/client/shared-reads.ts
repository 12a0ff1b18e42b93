import { base } from '../paths.ts'
import { session } from '../session.ts'

/** What the tab that reads tells the others. */
interface Told {
  readonly name: string
  /** What was read; absent where that failed. */
  readonly found?: unknown
  /** Ms since the epoch by the clock of this device, which all tabs share. */
  readonly at: number
}

/** A read that the tabs of this browser share: one of them does it and tells the others. */
export interface SharedRead {
  /** Whether this tab does it. */
  isReader(): boolean
  tell(result: { readonly found?: unknown }): void
  end(): void
}

/** What was told earlier is passed over: a tab that was frozen hears late, and takes it for what is now. */
const staleMs = 1_000

const channel = new BroadcastChannel('countersign.reads')
const listeners = new Set<(told: Told) => void>()
channel.onmessage = ({ data }: MessageEvent<Told>) => {
  if (Math.abs(Date.now() - data.at) > staleMs) return
  for (const listen of listeners) listen(data)
}

/**
 * Shares a read with tabs that do one of the same name as the same member. The tab that holds the lock reads, as long
 * as it can be seen. Without locks, as on a page that is not of a secure origin, each tab reads for itself.
 */
export function shareRead(
  read: string,
  heard: {
    /** It is this tab's turn from now on. */
    readonly turn: () => void
    readonly found: (found: unknown) => void
    /** The tab that reads could not. */
    readonly failed: () => void
  },
): SharedRead {
  const name = `${base} ${session.peek()?.member.memberId} ${read}`
  const ended = new AbortController()
  let isReader = !navigator.locks
  let leave = () => {}

  function listen(told: Told): void {
    if (told.name !== name || isReader || document.hidden) return
    if ('found' in told) heard.found(told.found)
    else heard.failed()
  }

  function enter(): void {
    leave()
    if (!navigator.locks || document.hidden || ended.signal.aborted) return
    const left = new AbortController()
    const until = new Promise<void>((resolve) => {
      leave = () => {
        isReader = false
        left.abort()
        resolve()
      }
    })
    navigator.locks
      .request(`countersign ${name}`, { signal: left.signal }, () => {
        if (left.signal.aborted) return
        isReader = true
        heard.turn()
        return until
      })
      // Left before it was this tab's turn.
      .catch(() => {})
  }

  const onVisibility = () => (document.hidden ? leave() : enter())
  document.addEventListener('visibilitychange', onVisibility, { signal: ended.signal })
  listeners.add(listen)
  enter()
  return {
    isReader: () => isReader,
    tell: (result) => channel.postMessage({ name, at: Date.now(), ...result } satisfies Told),
    end: () => {
      ended.abort()
      listeners.delete(listen)
      leave()
    },
  }
}
