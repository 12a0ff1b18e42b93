import { ok } from '@countersign/core/ledger'
import { anyone, member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/webhook-answers.ts'
import { streamPart, streamRows, streamWhole } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import * as schemas from './schemas.ts'
import { askedPart, firstPage, pageOfWhole } from './whole-list.ts'

const viewer = { ...member, right: 'readWebhooks' } as const
const admin = { ...member, right: 'manageWebhooks' } as const
const integrator = { ...member, right: 'replayDeliveries' } as const
const webhook = '/v1/webhooks/:webhookId'

/** Webhooks and the recovery read (interface, Portal host). */
export const webhookRoutes: readonly Route[] = [
  route({
    ...viewer,
    name: 'webhooks.list',
    summary: 'List webhooks',
    method: 'GET',
    path: '/v1/webhooks',
    query: schemas.optionalPageQuery,
    answer: json(answers.webhooksAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.webhooks.list(actor), (all) => {
        const { items, ...paging } = pageOfWhole(all, query)
        return { webhooks: items, ...paging }
      }),
  }),
  route({
    ...admin,
    name: 'webhooks.create',
    summary: 'Create a webhook and show its secret once',
    method: 'POST',
    path: '/v1/webhooks',
    body: jsonBody(schemas.createWebhook),
    answer: json(answers.webhookAnswer),
    refuses: ['invalid_url', 'refused_address', 'webhook_limit'],
    handle: async ({ service, actor, body }) =>
      reply(await service.webhooks.create(actor, defined(body))),
  }),
  route({
    ...viewer,
    name: 'webhooks.read',
    summary: 'Read a webhook',
    method: 'GET',
    path: webhook,
    answer: json(answers.webhookAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.read(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    name: 'webhooks.update',
    summary: 'Change a webhook; absent members keep',
    method: 'PUT',
    path: webhook,
    body: jsonBody(schemas.updateWebhook),
    answer: json(answers.webhookAnswer),
    refuses: [
      'invalid_url',
      'refused_address',
      'already_rotating',
      'endpoint_gone',
      'invalid_transition',
    ],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.update(actor, param('webhookId'), defined(body))),
  }),
  route({
    ...admin,
    name: 'webhooks.remove',
    summary: 'Remove a webhook',
    method: 'DELETE',
    path: webhook,
    answer: json(answers.removedWebhookAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      replyAs(await service.webhooks.remove(actor, param('webhookId')), () => ({
        id: param('webhookId'),
        deleted: true as const,
      })),
  }),
  route({
    ...admin,
    name: 'webhooks.test',
    summary: 'Send a sample event once',
    method: 'POST',
    path: `${webhook}/test`,
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.deliveryLogAnswer),
    refuses: ['endpoint_gone'],
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.test(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    name: 'webhooks.requestVerification',
    summary: 'Send a new challenge',
    method: 'POST',
    path: `${webhook}/verification`,
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.webhookAnswer),
    refuses: ['endpoint_gone'],
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.requestVerification(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    name: 'webhooks.rotateSecret',
    summary: 'Rotate the secret and show it once',
    method: 'POST',
    path: `${webhook}/rotate-secret`,
    body: jsonBody(schemas.rotateSecret),
    answer: json(answers.webhookAnswer),
    refuses: ['not_shared_secret', 'already_rotating', 'invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.rotateSecret(actor, param('webhookId'), defined(body))),
  }),
  route({
    ...admin,
    name: 'webhooks.turnOn',
    summary: 'Turn a webhook on',
    method: 'POST',
    path: `${webhook}/turn-on`,
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.webhookAnswer),
    refuses: ['endpoint_gone'],
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.turnOn(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    name: 'webhooks.turnOff',
    summary: 'Turn a webhook off',
    method: 'POST',
    path: `${webhook}/turn-off`,
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.webhookAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.turnOff(actor, param('webhookId'))),
  }),
  route({
    ...viewer,
    name: 'webhooks.deliveryLogs',
    summary: 'List delivery attempts of seven days, newest first',
    method: 'GET',
    path: `${webhook}/delivery-logs`,
    query: schemas.listQuery,
    answer: json(answers.deliveryLogsAnswer),
    refuses: [],
    handle: async ({ service, actor, param, query, ctx }) => {
      const part = askedPart(query)
      if (part) {
        const listing = await service.webhooks.deliveryLogs(actor, param('webhookId'), part)
        return listing.ok ? ok(streamPart(ctx, 'deliveryLogs', listing.value, part)) : listing
      }
      const whole = await service.webhooks.wholeDeliveryLog(actor, param('webhookId'))
      return whole.ok ? ok(streamWhole(ctx, 'deliveryLogs', whole.value)) : whole
    },
  }),
  route({
    ...integrator,
    name: 'webhooks.replay',
    summary: 'Send one event again',
    method: 'POST',
    path: `${webhook}/deliveries/:eventId/replay`,
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.replayAnswer),
    refuses: ['endpoint_gone', 'invalid_transition'],
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.replay(actor, param('webhookId'), param('eventId'))),
  }),
  route({
    ...integrator,
    name: 'webhooks.recover',
    summary: 'Send what was dead-lettered in a span of time again',
    method: 'POST',
    path: `${webhook}/recover`,
    body: jsonBody(schemas.recover),
    answer: json(answers.recoveryAnswer),
    refuses: ['endpoint_gone', 'invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.recover(actor, param('webhookId'), defined(body))),
  }),
  route({
    ...member,
    right: 'readReviewEvents',
    name: 'reviewEvents.list',
    summary: 'List events that a webhook was owed, newest first',
    method: 'GET',
    path: '/v1/review-events',
    query: schemas.reviewEventsQuery,
    answer: json(answers.reviewEventsAnswer),
    refuses: ['not_found'],
    handle: async ({ service, actor, ctx, query: { subscriptionId, ...query } }) => {
      const part = askedPart(query) ?? firstPage
      if ('page' in part)
        return reply(await service.webhooks.reviewEvents(actor, { subscriptionId, ...part }))
      const listing = await service.webhooks.reviewEventsAfter(actor, { subscriptionId, ...part })
      return listing.ok ? ok(streamRows(ctx, listing.value)) : listing
    },
  }),
  route({
    ...anyone,
    name: 'webhookKeys.read',
    summary: "Read the tenant's public keys as a JWK set",
    method: 'GET',
    path: '/.well-known/webhook-keys/:tenantId',
    answer: json(answers.keySetAnswer),
    refuses: [],
    handle: async ({ service, param }) => {
      const result = await service.webhooks.keySet(param('tenantId'))
      if (!result.ok) return result
      return {
        ok: true,
        value: { body: result.value, headers: { 'Cache-Control': 'public, max-age=3600' } },
      }
    },
  }),
]
