import { list, many } from '../../kernel/ledger/reads.ts'
import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import { orNotFound } from '../../kernel/query.ts'
import { type Named, type OutsOf, text, time } from '../../kernel/shape.ts'
import { orNull } from '../../kernel/wrap.ts'
import { keptAttempts } from '../../outbox/attempt-log.ts'
import { attemptsToCome } from '../../outbox/machine.ts'
import { attempts, deliveries, messages } from '../../outbox/records.ts'
import { existing } from '../load-webhook.ts'
import { attemptShape, ownMembers } from '../log-entry.ts'
import { admitsFor } from '../machine/admits.ts'
import { shownWebhook } from '../records.ts'
import type { WebhookTools } from '../tools.ts'
import { deliveryMembers, deliveryShape } from './shown-delivery.ts'

const { reading } = operationsWith<WebhookTools>()

/** Attempts that an answer has: each may hold 64 KiB of an endpoint's answer. The delivery log has them all. */
const mostAttempts = 20

const utf8 = new TextDecoder()

const inspected = {
  delivery: deliveryShape,
  /** As every attempt sends it; null once a purge has taken it. */
  requestBody: orNull(text(Number.MAX_SAFE_INTEGER)),
  /** Of the attempts of seven days the last 20, newest first. */
  attempts: listOf(attemptShape),
  /** How many attempts there are of seven days. */
  attemptCount: count,
  /** When the attempts to come are due, if each fails as soon as it is made. */
  schedule: listOf(time),
}
/** One delivery with what is sent, its last attempts and the times of those to come. */
export interface InspectedDelivery extends OutsOf<typeof inspected> {}
const inspectedShape: Named<typeof inspected, InspectedDelivery> = object(
  inspected,
  'InspectedDelivery',
)

/** One delivery with what is sent, its last attempts and the times of those to come. */
export const readDelivery = reading({
  name: 'webhooks.readDelivery',
  doc: 'Read a delivery with its body, attempts and schedule',
  right: 'readWebhooks',
  takes: { webhookId: shownWebhook.id, eventId: shownWebhook.id },
  gives: inspectedShape,
  refuses: ['not_found'],
  async run({ ask, read, tools: { clock } }, { webhookId, eventId }) {
    const { webhook, delivery, message } = await ask({
      webhook: existing(webhookId),
      delivery: orNotFound(deliveries.get(webhookId, eventId), 'delivery'),
      message: messages.get(eventId),
    })
    const now = clock.now()
    const [found] = await read([
      list(attempts, {
        where: [['endpointId', '=', webhookId], ['messageId', '=', eventId], keptAttempts(now)],
        by: 'byMessage',
        newest: true,
        take: mostAttempts,
        count: true,
      }),
    ])
    const view = { now, admits: admitsFor(webhook.row) }
    return inspectedShape.show({
      delivery: deliveryMembers(delivery, view),
      requestBody: message && utf8.decode(message.row.body),
      attempts: many(attempts, found).map(({ row }) => ownMembers(row)),
      attemptCount: found?.total ?? 0,
      schedule: attemptsToCome(delivery, view),
    })
  },
})
