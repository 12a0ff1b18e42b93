import { useEffect } from 'preact/hooks'
import { brandName } from '../brand.ts'
import { api } from '../client/api.ts'
import { waitingCases } from '../client/use-summary.ts'
import { lengthOf } from '../parts/time.tsx'
import { preferences } from '../preferences.ts'
import { noteRefusal } from '../session.ts'

/** Browsers slow timers of tabs that nobody sees down to about one a minute. */
const everyMs = 30_000
/** Held by one tab of those that are hidden, which asks. */
const asking = 'countersign notices'
/** Shared by the tabs that can be seen: while one is there, nobody has to be told. */
const watching = 'countersign seen'

/** Whether this browser could show notices. */
export const canNotify = (): boolean => 'Notification' in window && Boolean(navigator.locks)

/**
 * Tells that more cases wait than when they were last seen, while no page can be seen and if the member chose it. It
 * names how many and until when, nothing of what they are.
 */
export function useNotices(): void {
  const isOn = preferences.value.notifies && canNotify() && Notification.permission === 'granted'
  useEffect(() => {
    if (!isOn) return
    const ended = new AbortController()
    let left = new AbortController()
    const enter = () => {
      left.abort()
      left = new AbortController()
      const { signal } = left
      const [name, mode] = document.hidden
        ? ([asking, 'exclusive'] as const)
        : ([watching, 'shared'] as const)
      navigator.locks
        .request(name, { mode, signal }, () => (name === asking ? watch(signal) : until(signal)))
        .catch(() => {})
    }
    document.addEventListener('visibilitychange', enter, { signal: ended.signal })
    enter()
    return () => {
      ended.abort()
      left.abort()
    }
  }, [isOn])
}

/** Asks again and again until it is aborted. */
async function watch(signal: AbortSignal): Promise<void> {
  let known = waitingCases()
  const timer = setInterval(async () => {
    try {
      const { reviewCases, serverTime } = await api.portal.readSummary({}, { signal })
      const count = reviewCases ? reviewCases.mine + reviewCases.unassigned : 0
      const isMore = count > known
      // Before anything else is awaited, for the next answer is compared with it.
      known = count
      if (isMore && !(await isSeen()))
        show(noticeOf(count, reviewCases?.soonestDueAt ?? null, serverTime))
    } catch (error) {
      noteRefusal(error)
    }
  }, everyMs)
  await until(signal)
  clearInterval(timer)
}

/** Such as `2 cases wait, the next is due in 12 min`. */
function noticeOf(count: number, soonestDueAt: string | null, serverTime: string): string {
  const waits = count === 1 ? '1 case waits' : `${count} cases wait`
  if (soonestDueAt === null) return `${waits}.`
  const left = Date.parse(soonestDueAt) - Date.parse(serverTime)
  if (left <= 0) return `${waits}, one is overdue.`
  const length = left < 3_600_000 ? `${Math.ceil(left / 60_000)} min` : lengthOf(left)
  return `${waits}, the next is due in ${length}.`
}

function show(body: string): void {
  // One notice at a time: a later one takes the place of the one before.
  const notice = new Notification(brandName, { body, tag: 'countersign cases' })
  notice.onclick = () => {
    window.focus()
    notice.close()
  }
}

const isSeen = (): Promise<boolean> =>
  navigator.locks.request(watching, { ifAvailable: true }, (lock) => lock === null)

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
