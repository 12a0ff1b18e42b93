import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { type Named, type OutsOf, time } from '../../kernel/shape.ts'
import { orNull } from '../../kernel/wrap.ts'
import { existing } from '../load-webhook.ts'
import { windowBroughtBack } from '../machine/missed-windows.ts'
import { shownWebhook, statusReason } from '../records.ts'
import type { WebhookTools } from '../tools.ts'

const { reading } = operationsWith<WebhookTools>()

const shownWindows = {
  /** Those that were not reported yet, and the last 20 that were; newest first. */
  missedWindows: listOf(
    object({
      missedFrom: time,
      /** Null while the webhook is off. */
      missedUntil: orNull(time),
      /** Why the webhook was turned off. */
      reason: statusReason,
      /** When its `subscription.events_missed` was delivered. */
      reportedAt: orNull(time),
    }),
  ),
}
/** Spans of time in which nothing was sent to a webhook. */
export interface MissedWindows extends OutsOf<typeof shownWindows> {}
const windowsShape: Named<typeof shownWindows, MissedWindows> = object(
  shownWindows,
  'MissedWindows',
)

/** Spans of time in which a webhook was off, and so sent nothing. */
export const missedWindows = reading({
  name: 'webhooks.missedWindows',
  doc: 'List the spans of time in which a webhook was off',
  right: 'readWebhooks',
  takes: { webhookId: shownWebhook.id },
  gives: windowsShape,
  refuses: ['not_found'],
  async run({ ask, tools: { clock } }, { webhookId }) {
    const { row } = (await ask({ webhook: existing(webhookId) })).webhook
    const owed = row.unreported.map((window) => {
      const { from, until, reason } = windowBroughtBack(window, clock.now())
      return { missedFrom: from, missedUntil: until, reason, reportedAt: null }
    })
    const reported = row.reported.map(({ from, until, ...more }) => ({
      ...{ missedFrom: from, missedUntil: until },
      ...more,
    }))
    const all = [...reported, ...owed].sort((a, b) => b.missedFrom - a.missedFrom)
    return windowsShape.show({ missedWindows: all })
  },
})
