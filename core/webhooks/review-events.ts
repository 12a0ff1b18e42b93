import type { ListSource } from '../kernel/ledger/listing.ts'
import { readPart } from '../kernel/ledger/read-part.ts'
import { object, recordOf, showAll } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import { anything, type OutsOf, oneOf, pattern, text, time } from '../kernel/shape.ts'
import { orNull } from '../kernel/wrap.ts'
import { type Delivery, deliveries } from '../outbox/records.ts'
import { statusOf } from '../outbox/status.ts'
import { readEvent } from './inspection/read-event.ts'
import { existing } from './load-webhook.ts'
import { admitsFor } from './machine/admits.ts'
import { bodiesOf } from './message-bodies.ts'
import type { WebhookTools } from './tools.ts'

const { list } = operationsWith<WebhookTools>()

/** Rows that one read brings: events are a few hundred bytes each. */
const piece = 100
const most = Number.MAX_SAFE_INTEGER
const utf8 = new TextDecoder()

/** An event that a webhook was owed, and what became of its delivery. */
const shownEvent = {
  event: recordOf(text(most), anything, most),
  deliveryStatus: oneOf(['pending', 'delivering', 'retry_scheduled', 'delivered', 'dead_lettered']),
  deliveredAt: orNull(time),
}
/** An event that a webhook was owed, and what became of its delivery. */
export interface ReviewEventEntry extends OutsOf<typeof shownEvent> {}

/** Events that a webhook selected and was owed; notices about itself and tests are left out. */
export const listReviewEvents = list({
  name: 'reviewEvents.list',
  doc: 'List events that a webhook was owed, newest first',
  right: 'readReviewEvents',
  filter: { subscriptionId: pattern(/^[\w-]{1,100}$/, 'the id of a webhook', 100) },
  items: 'events',
  item: object(shownEvent, 'ReviewEvent'),
  repeats: ['subscriptionId'],
  refuses: ['not_found'],
  async source({ ask, read, tools: { clock } }, { subscriptionId }) {
    const { webhook } = await ask({ webhook: existing(subscriptionId) })
    const admits = admitsFor(webhook.row)
    const source: ListSource<Delivery, ReviewEventEntry> = {
      collection: deliveries,
      where: [
        ['endpointId', '=', subscriptionId],
        ['kind', '=', 'event'],
      ],
      by: 'byKind',
      newest: true,
      cursor: 'messageId',
      piece,
      exact: true,
      async tell(rows) {
        const ids = rows.map(({ row }) => row.messageId)
        const sent = await bodiesOf(ids, read)
        return rows.flatMap((delivery) => {
          const body = sent.get(delivery.row.messageId)
          if (!body) return []
          const deliveryStatus = statusOf(delivery, { now: clock.now(), admits })
          const { deliveredAt } = delivery.row
          return [
            showAll(shownEvent, {
              event: JSON.parse(utf8.decode(body)),
              deliveryStatus,
              deliveredAt,
            }),
          ]
        })
      },
    }
    return { part: (query, readStore) => readPart(source, query, readStore) }
  },
})

/** Events and what became of them (interface, Recovery read; Deliveries). */
export const reviewEventOperations = [listReviewEvents, readEvent] as const
