import { isEventType } from '../../base/events/catalogue.ts'
import { get, inTurn, one } from '../../kernel/ledger/reads.ts'
import { listOf, object, recordOf } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { orNotFound } from '../../kernel/query.ts'
import { anything, type Named, type OutsOf, text } from '../../kernel/shape.ts'
import { deliveries, messages } from '../../outbox/records.ts'
import { admitsFor } from '../machine/admits.ts'
import { shownWebhook, webhooks } from '../records.ts'
import type { WebhookTools } from '../tools.ts'
import { deliveryMembers, shownDelivery } from './shown-delivery.ts'

const { reading } = operationsWith<WebhookTools>()

const most = Number.MAX_SAFE_INTEGER
const utf8 = new TextDecoder()

const inspectedEvent = {
  event: recordOf(text(most), anything, most),
  /** One for each webhook that it was owed to, by the webhook's id. */
  deliveries: listOf(object({ webhookId: shownWebhook.id, ...shownDelivery })),
}
/** An event with its deliveries to all webhooks. */
export interface InspectedEvent extends OutsOf<typeof inspectedEvent> {}
const inspectedEventShape: Named<typeof inspectedEvent, InspectedEvent> = object(
  inspectedEvent,
  'InspectedEvent',
)

/** One event and what became of it at each webhook, those that were removed since included; chats are left out. */
export const readEvent = reading({
  name: 'reviewEvents.read',
  doc: 'Read an event with its deliveries to all webhooks',
  right: 'readReviewEvents',
  takes: { eventId: shownWebhook.id },
  gives: inspectedEventShape,
  refuses: ['not_found'],
  async run({ ask, read, refuse, tools: { clock } }, { eventId }) {
    const { message } = await ask({ message: orNotFound(messages.get(eventId), 'event') })
    const { type, endpointIds, body } = message.row
    // Outcome callbacks are messages too, and belong to their cases.
    if (!isEventType(type)) return refuse('not_found', 'no such event')
    const ids = endpointIds.filter((id) => id.startsWith('wh_')).toSorted()
    const next = inTurn(
      await read(ids.flatMap((id) => [get(deliveries, [id, eventId]), get(webhooks, [id])])),
    )
    const now = clock.now()
    const owed = ids.flatMap((webhookId) => {
      const [found, owner] = next(2)
      const delivery = one(deliveries, found)
      const webhook = one(webhooks, owner)?.row
      const view = { now, admits: webhook ? admitsFor(webhook) : () => false }
      return delivery ? [{ webhookId, ...deliveryMembers(delivery, view) }] : []
    })
    return inspectedEventShape.show({ event: JSON.parse(utf8.decode(body)), deliveries: owed })
  },
})
