import { deliveries, messages, type Webhook, webhooks } from '@countersign/core/internal'
import { type Committed, of, type Transition, type Truth } from '../truth.ts'
import { epoch, type World } from '../world.ts'
import { textOf } from './context.ts'

/** An event that a webhook would have got, had it been on. */
export interface MissedEvent {
  readonly webhookId: string
  /** The event's time. */
  readonly at: number
  readonly what: string
}

/** A missed event, and what the commits since did to the windows of its webhook. */
export interface Missed extends MissedEvent {
  /** The least of the right time of its commit and the clocks of those that closed or told a window since. */
  readonly clock: number
  /** The events_missed that were owed since. */
  readonly reports: readonly string[]
}

/** No event is timed further ahead of a clock that is right, ms. */
const mostAheadMs = 61_000

/** Follows what webhooks miss, in the order of commits. */
export function watchMissed(world: World): {
  readonly all: readonly Missed[]
  committing(committed: Committed, events: readonly MissedEvent[]): void
} {
  const all: { -readonly [Name in keyof Missed]: Missed[Name] }[] = []
  return {
    all,
    committing({ transitions }, events) {
      for (const change of of(webhooks, transitions)) {
        const { reports, clock } = windowsMoved(change)
        for (const one of all) {
          if (one.webhookId !== change.key) continue
          one.clock = Math.min(one.clock, clock)
          one.reports = [...one.reports, ...reports]
        }
      }
      const clock = epoch + world.time.now()
      all.push(...events.map((event) => ({ ...event, clock, reports: [] })))
    },
  }
}

/** The reports that a change of a webhook owes, and the clock by which it moved windows; a reset tells none. */
function windowsMoved({ before, after }: Transition<Webhook>): Pick<Missed, 'reports' | 'clock'> {
  const none = { reports: [], clock: Number.POSITIVE_INFINITY }
  if (!before || !after || before.row.updatedAt === after.row.updatedAt) return none
  const [was, now] = [before.row.unreported, after.row.unreported]
  if (JSON.stringify(was) === JSON.stringify(now)) return none
  const known = was.map(({ messageId }) => messageId)
  const reports = now.flatMap(({ messageId }) =>
    messageId === null || known.includes(messageId) ? [] : [messageId],
  )
  return { reports, clock: after.row.updatedAt }
}

interface Window {
  readonly from: number
  readonly until: number
  readonly messageId: string
}

/**
 * Reported windows hold all that was missed and nothing that was sent, and none overlaps another. An event that a
 * clock which ran ahead timed lies in its window by order of commits alone: no window ends in the future.
 */
export function checkWindows(world: World, truth: Truth, missed: readonly Missed[]): void {
  // Where a clock was set back, or two differ, a time says nothing about what was sent before a turn-off.
  const stepped = world.plan.disturbances.some(({ kind }) => kind === 'jump')
  // A turn-off whose commit took longer than its slack lies behind events that were sent meanwhile.
  const stalls = world.plan.rates.stall > 0
  for (const [webhookId, { row }] of truth.rows(webhooks)) {
    if (row.previousSecret !== null)
      world.broken('old secrets are wiped', `${webhookId} still holds its previous secret`)
    if (row.status !== 'receiving') continue
    const windows = windowsOf(truth, webhookId)
    const inside = (at: number) => windows.some(({ from, until }) => from <= at && at < until)
    const isTold = ({ at, clock, reports }: Missed) =>
      inside(at) ||
      (stepped &&
        at > clock + mostAheadMs &&
        windows.some(({ messageId }) => reports.includes(messageId)))
    const wrong = (detail: string) =>
      world.broken('missed windows are exact', `${webhookId}: ${detail}`)
    if (row.unreported.length > 0 && world.plan.mends)
      wrong(`${row.unreported.length} windows were never reported`)
    for (const one of missed)
      if (one.webhookId === webhookId && row.unreported.length === 0 && !isTold(one))
        wrong(`${one.what} was missed and lies in no window`)
    for (const { row: delivery } of stepped || stalls ? [] : owedTo(truth, webhookId))
      if (delivery.kind === 'event' && delivery.round === 1) {
        const at = truth.rows(messages).get(delivery.messageId)?.row.createdAt ?? 0
        if (inside(at)) wrong(`${delivery.messageId} was owed and lies in a window`)
      }
    for (const [at, window] of windows.entries()) {
      if (!(window.from <= window.until)) wrong('a window ends before it begins')
      const next = windows[at + 1]
      if (!stepped && next && next.from < window.until) wrong('two windows overlap')
    }
  }
}

function owedTo(truth: Truth, webhookId: string) {
  return [...truth.rows(deliveries).values()].filter(({ row }) => row.endpointId === webhookId)
}

/** The windows that the endpoint heard of, by their beginning. */
function windowsOf(truth: Truth, webhookId: string): readonly Window[] {
  const windows = owedTo(truth, webhookId).flatMap(({ row: delivery }): readonly Window[] => {
    const { messageId, type, status } = delivery
    if (type !== 'subscription.events_missed' || status !== 'delivered') return []
    const body = truth.rows(messages).get(messageId)?.row.body
    const event = body ? (JSON.parse(textOf(body)) as Readonly<Record<string, unknown>>) : {}
    const [from, until] = [event.missedFrom, event.missedUntil].map((text) =>
      Date.parse(String(text)),
    )
    return [{ from: from ?? Number.NaN, until: until ?? Number.NaN, messageId }]
  })
  return windows.sort((a, b) => a.from - b.from)
}
