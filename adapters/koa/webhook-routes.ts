import { faultsOfPart, part, queryOfPart } from '@countersign/core/kernel'
import {
  createWebhook,
  deliveryLogShape,
  listDeliveries,
  listReviewEvents,
  listWebhooks,
  missedWindows,
  readDelivery,
  readEvent,
  readWebhook,
  readWebhookKeys,
  recoverMembers,
  recoverShape,
  removeWebhook,
  replayDelivery,
  requestVerification,
  rotateSecret,
  testWebhook,
  turnOff,
  turnOn,
  updateWebhook,
  webhookStatistics,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { member } from './callers.ts'
import { bodyOf, queryOf } from './input.ts'
import { streamPart, streamWhole } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'

const webhooks = '/v1/webhooks'
const webhook = `${webhooks}/:webhookId` as const
const bare = { limit: smallBody }

/** Webhooks and the recovery read (interface, Portal host). */
export const webhookRoutes: readonly Route[] = [
  http(listWebhooks, 'GET', webhooks),
  http(createWebhook, 'POST', webhooks),
  http(readWebhook, 'GET', webhook),
  http(updateWebhook, 'PUT', webhook),
  http(removeWebhook, 'DELETE', webhook),
  http(testWebhook, 'POST', `${webhook}/test`, bare),
  http(requestVerification, 'POST', `${webhook}/verification`, bare),
  http(rotateSecret, 'POST', `${webhook}/rotate-secret`),
  http(turnOn, 'POST', `${webhook}/turn-on`, bare),
  http(turnOff, 'POST', `${webhook}/turn-off`, bare),
  route({
    ...member,
    right: 'readWebhooks',
    name: 'webhooks.deliveryLogs',
    summary: 'List delivery attempts of seven days, newest first',
    method: 'GET',
    path: `${webhook}/delivery-logs`,
    query: queryOf(part, faultsOfPart),
    answer: json(deliveryLogShape),
    refuses: [],
    handle: async ({ service, actor, param, query, ctx }) => {
      const asked = { webhookId: param('webhookId') }
      if (Object.keys(query).length > 0) {
        const list = queryOfPart(query)
        const listing = await service.webhooks.deliveryLogs(actor, { ...asked, ...list })
        return listing.ok ? streamPart(ctx, 'deliveryLogs', listing.value, list) : listing
      }
      const whole = await service.webhooks.wholeDeliveryLog(actor, asked)
      return whole.ok ? streamWhole(ctx, 'deliveryLogs', whole.value) : whole
    },
  }),
  http(listDeliveries, 'GET', `${webhook}/deliveries`),
  http(readDelivery, 'GET', `${webhook}/deliveries/:eventId`),
  http(replayDelivery, 'POST', `${webhook}/deliveries/:eventId/replay`, bare),
  route({
    ...member,
    right: 'replayDeliveries',
    name: 'webhooks.recover',
    summary: 'Send what was dead-lettered in a span of time again',
    method: 'POST',
    path: `${webhook}/recover`,
    body: jsonBody(bodyOf(recoverMembers)),
    answer: json(recoverShape),
    refuses: ['endpoint_gone', 'invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.recover(actor, { webhookId: param('webhookId'), ...body })),
  }),
  http(missedWindows, 'GET', `${webhook}/missed-windows`),
  http(webhookStatistics, 'GET', `${webhook}/statistics`),
  http(listReviewEvents, 'GET', '/v1/review-events'),
  http(readEvent, 'GET', '/v1/portal/events/:eventId'),
  http(readWebhookKeys, 'GET', '/.well-known/webhook-keys/:tenantId', { maxAge: 3600 }),
]
