import {
  deliveries,
  messages,
  type ReviewCase,
  reviewCases,
  sessions,
} from '@countersign/core/internal'
import { type Committed, keyText, of, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { outcomeBytes, textOf } from './context.ts'
import { isPurging } from './purging.ts'
import { retentionMs } from './session-rows.ts'

/** How long messages stay after their last delivery ended (interface, Limits). */
const messageMs = 30 * 24 * 3_600_000

/** When cases may go: some days after they closed, and once nothing is owed for them. */
export interface RetentionCheck {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
  /** Cases that were removed, as they stood then. */
  readonly gone: ReadonlyMap<string, ReviewCase>
  /** Whether a message, with its deliveries, has been kept for its time since the last of these ended. */
  isOver(truth: Truth, messageId: string): boolean
}

export function checkRetention(world: World): RetentionCheck {
  const gone = new Map<string, ReviewCase>()
  /** When each case closed, in ms of the run. */
  const closedAt = new Map<string, number>()
  /** When the last delivery of each message ended, in ms of the run. */
  const endedAt = new Map<string, number>()
  /** The delivery of each case's outcome. */
  const outcomes = new Map<string, string>()
  // One process may have closed a case by a clock that another, which removes it, is ahead of by all jumps.
  const apart = world.plan.disturbances.reduce(
    (sum, one) => sum + (one.kind === 'jump' ? Math.abs(one.by) : 0),
    0,
  )

  function checkGone(truth: Truth, key: string, review: ReviewCase): void {
    if (review.state === 'open') {
      world.broken('gone owes nothing', `${key} is gone, and was open`)
      return
    }
    // Callbacks that were not sent end behind the cases of a purge.
    if (isPurging(truth, review)) return
    const outcome = outcomes.get(key)
    const delivery = outcome === undefined ? undefined : truth.rows(deliveries).get(outcome)
    if (delivery && delivery.row.due !== null)
      world.broken('gone owes nothing', `${key} is gone, and its outcome ${delivery.row.status}`)
    // The case of a session that came goes with it, for whose age another check looks.
    const { tenantId, applicationId, sessionId } = review
    if (truth.rows(sessions).has(keyText([tenantId, applicationId, sessionId]))) return
    const kept = world.time.now() - (closedAt.get(key) ?? Number.POSITIVE_INFINITY)
    if (kept < retentionMs - apart)
      world.broken('kept for its time', `${key} is gone ${kept} ms after it closed`)
  }

  return {
    gone,
    isOver(truth, messageId) {
      const kept = world.time.now() - (endedAt.get(messageId) ?? Number.POSITIVE_INFINITY)
      if (kept < messageMs - apart) return false
      return [...truth.rows(deliveries).values()].every(
        ({ row }) => row.messageId !== messageId || row.due === null,
      )
    },
    committing(truth, { transitions }) {
      for (const { before, after } of of(deliveries, transitions))
        if (after?.row.due === null && before?.row.due !== null)
          endedAt.set(after.row.messageId, world.time.now())
      for (const { after } of of(messages, transitions)) {
        if (after?.row.type !== 'review.outcome') continue
        const { applicationId, messageId } = after.row
        const outcome = JSON.parse(textOf(outcomeBytes(truth, after.row, transitions))) as {
          readonly reviewCaseId: string
        }
        outcomes.set(outcome.reviewCaseId, keyText([applicationId ?? '', messageId]))
      }
      for (const { before, after, key } of of(reviewCases, transitions)) {
        if (after && after.row.state !== 'open' && !closedAt.has(key))
          closedAt.set(key, world.time.now())
        if (!before || after) continue
        checkGone(truth, key, before.row)
        gone.set(key, before.row)
      }
    },
  }
}
