import {
  reportedWindowsPerWebhook,
  unreportedWindowsPerWebhook,
} from '../../kernel/ledger/limits.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import type { MissedWindow, Webhook } from '../records.ts'
import { backTo } from '../routing/event-time.ts'
import type { Decided } from './command.ts'
import { changed, unchanged } from './decided.ts'

// A window opens at turn-off, closes at turn-on, is announced by one events_missed at the first delivery after that,
// and leaves the record when that events_missed is delivered; ended unsent, the same one is owed again.

/**
 * Bounds the windows of a webhook that is turned off and on without ever taking a report: beyond the limit the oldest
 * two become one, which covers both and is announced again.
 */
export function bounded(windows: readonly MissedWindow[]): readonly MissedWindow[] {
  const [first, second, ...rest] = windows
  if (windows.length <= unreportedWindowsPerWebhook || !first || !second) return windows
  const from = Math.min(first.from, second.from)
  const until = Math.max(first.until ?? 0, second.until ?? 0)
  const { reason } = second
  return bounded([{ from, until, reason, messageId: null, owedUnder: null }, ...rest])
}

/** The window with the marks of a clock that ran ahead brought back to now; the same object where there are none. */
export function windowBroughtBack(window: MissedWindow, now: number): MissedWindow {
  const until = window.until === null ? null : backTo(now, window.until)
  const from = Math.min(backTo(now, window.from), until ?? window.from)
  return from === window.from && until === window.until ? window : { ...window, from, until }
}

/** Windows that are over and that no events_missed was made for yet. */
export function unannounced(webhook: Webhook): readonly MissedWindow[] {
  return webhook.unreported.filter((window) => window.messageId === null && window.until !== null)
}

/** Whether the next delivery that the endpoint takes lets a window be reported. */
export function owesWindows(webhook: Webhook): boolean {
  return (
    webhook.status === 'receiving' &&
    webhook.unreported.some((window) => window.owedUnder !== webhook.generation)
  )
}

/** The endpoint took a delivery: windows that are over are announced, what was ended unsent is owed again. */
export function received(
  webhook: Webhook,
  messageIds: readonly string[],
  now: number,
): Result<Decided> {
  if (!owesWindows(webhook)) return unchanged(webhook)
  const fresh = new Map(
    unannounced(webhook).map((window, at) => [window, messageIds[at] ?? null] as const),
  )
  const again = webhook.unreported.flatMap(({ messageId, owedUnder }) =>
    messageId !== null && owedUnder !== webhook.generation ? [messageId] : [],
  )
  const owedUnder = webhook.generation
  const unreported = webhook.unreported.map((window) => ({
    ...windowBroughtBack(window, now),
    messageId: fresh.get(window) ?? window.messageId,
    owedUnder,
  }))
  const notices = [...fresh].flatMap(([window, messageId]) => {
    const { from, until } = windowBroughtBack(window, now)
    if (messageId === null || until === null) throw new RangeError('an id for each window expected')
    const type = 'subscription.events_missed' as const
    return [{ type, messageId, missedFrom: from, missedUntil: until }]
  })
  return changed(webhook, { webhook: { ...webhook, unreported }, notices, again }, now)
}

/** The endpoint took the report of a window, which is shown for a while. */
export function reported(webhook: Webhook, messageId: string, now: number): Result<Decided> {
  const window = webhook.unreported.find((each) => each.messageId === messageId)
  if (!window) return unchanged(webhook)
  const { from, until, reason } = window
  const shown = { from, until: until ?? now, reason, reportedAt: now }
  return changed(
    webhook,
    {
      webhook: {
        ...webhook,
        unreported: webhook.unreported.filter((each) => each !== window),
        reported: [...webhook.reported, shown].slice(-reportedWindowsPerWebhook),
      },
    },
    now,
  )
}

/** Maps the windows; `keep` drops or replaces one. */
export function keepWindows(
  webhook: Webhook,
  now: number,
  keep: (window: MissedWindow) => readonly MissedWindow[],
): Result<Decided> {
  if (webhook.unreported.every((window) => keep(window)[0] === window)) return unchanged(webhook)
  return changed(
    webhook,
    { webhook: { ...webhook, unreported: webhook.unreported.flatMap(keep) } },
    now,
  )
}
