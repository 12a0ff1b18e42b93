import { list, many } from '../../kernel/ledger/reads.ts'
import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import { type Named, type OutsOf, time, whole } from '../../kernel/shape.ts'
import { orNull, usual } from '../../kernel/wrap.ts'
import { attemptDays } from '../../outbox/records.ts'
import { existing } from '../load-webhook.ts'
import { shownWebhook } from '../records.ts'
import type { WebhookTools } from '../tools.ts'
import { deliveryHours, hourMs } from './delivery-hours.ts'
import { percentile } from './latency-buckets.ts'

const { reading } = operationsWith<WebhookTools>()

const shownHours = {
  /** One for each hour that began in the span, the one that runs included; oldest first. */
  hours: listOf(
    object({
      /** When the hour began. */
      from: time,
      /** Attempts, tests aside. */
      delivered: count,
      failed: count,
      /** Of the attempts that were delivered; null where none was. */
      p50Ms: orNull(count),
      p95Ms: orNull(count),
    }),
  ),
}
/** How the attempts to send to a webhook ended, by the hour. */
export interface WebhookStatistics extends OutsOf<typeof shownHours> {}
const statisticsShape: Named<typeof shownHours, WebhookStatistics> = object(
  shownHours,
  'WebhookStatistics',
)

/** How the attempts to send to a webhook ended, by the hour. */
export const webhookStatistics = reading({
  name: 'webhooks.statistics',
  doc: 'Count the attempts of each hour, with their latency',
  right: 'readWebhooks',
  takes: { webhookId: shownWebhook.id, hours: usual(whole(1, attemptDays * 24), 24) },
  gives: statisticsShape,
  refuses: ['not_found'],
  async run({ ask, read, tools: { clock } }, { webhookId, hours }) {
    await ask({ webhook: existing(webhookId) })
    const now = clock.now()
    const last = now - (now % hourMs)
    const first = last - (hours - 1) * hourMs
    const [found] = await read([
      list(deliveryHours, {
        where: [
          ['webhookId', '=', webhookId],
          ['hourAt', '>=', first],
        ],
        take: hours,
      }),
    ])
    const known = new Map(many(deliveryHours, found).map(({ row }) => [row.hourAt, row]))
    return statisticsShape.show({
      hours: Array.from({ length: hours }, (_, number) => {
        const from = first + number * hourMs
        const { delivered = 0, failed = 0, latencies = [] } = known.get(from) ?? {}
        return {
          ...{ from, delivered, failed },
          p50Ms: percentile(latencies, 0.5),
          p95Ms: percentile(latencies, 0.95),
        }
      }),
    })
  },
})
