import { ok } from '@countersign/core/ledger'
import { defined } from './defined.ts'
import { streamPart, streamRows, streamWhole } from './list-stream.ts'
import { type Route, reply, route, smallBody } from './route.ts'
import * as schemas from './schemas.ts'
import { askedPart, firstPage, pageOfWhole } from './whole-list.ts'

const member = { host: 'portal', auth: 'member', query: schemas.noQuery } as const
const viewer = { ...member, right: 'readWebhooks' } as const
const admin = { ...member, right: 'manageWebhooks' } as const
const integrator = { ...member, right: 'replayDeliveries' } as const
const webhook = '/v1/webhooks/:webhookId'

/** Webhooks and the recovery read (interface, Portal host). */
export const webhookRoutes: readonly Route[] = [
  route({
    ...viewer,
    method: 'GET',
    path: '/v1/webhooks',
    query: schemas.optionalPageQuery,
    handle: async ({ service, actor, query }) =>
      reply(await service.webhooks.list(actor), (all) => {
        const { items, ...paging } = pageOfWhole(all, query)
        return { webhooks: items, ...paging }
      }),
  }),
  route({
    ...admin,
    method: 'POST',
    path: '/v1/webhooks',
    body: schemas.createWebhook,
    handle: async ({ service, actor, body }) =>
      reply(await service.webhooks.create(actor, defined(body))),
  }),
  route({
    ...viewer,
    method: 'GET',
    path: webhook,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.read(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    method: 'PUT',
    path: webhook,
    body: schemas.updateWebhook,
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.update(actor, param('webhookId'), defined(body))),
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: webhook,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.remove(actor, param('webhookId')), () => ({
        id: param('webhookId'),
        deleted: true,
      })),
  }),
  route({
    ...admin,
    method: 'POST',
    path: `${webhook}/test`,
    body: schemas.noBody,
    bodyLimit: smallBody,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.test(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    method: 'POST',
    path: `${webhook}/verification`,
    body: schemas.noBody,
    bodyLimit: smallBody,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.requestVerification(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    method: 'POST',
    path: `${webhook}/rotate-secret`,
    body: schemas.rotateSecret,
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.rotateSecret(actor, param('webhookId'), defined(body))),
  }),
  route({
    ...admin,
    method: 'POST',
    path: `${webhook}/turn-on`,
    body: schemas.noBody,
    bodyLimit: smallBody,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.turnOn(actor, param('webhookId'))),
  }),
  route({
    ...admin,
    method: 'POST',
    path: `${webhook}/turn-off`,
    body: schemas.noBody,
    bodyLimit: smallBody,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.turnOff(actor, param('webhookId'))),
  }),
  route({
    ...viewer,
    method: 'GET',
    path: `${webhook}/delivery-logs`,
    query: schemas.listQuery,
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
    method: 'POST',
    path: `${webhook}/deliveries/:eventId/replay`,
    body: schemas.noBody,
    bodyLimit: smallBody,
    handle: async ({ service, actor, param }) =>
      reply(await service.webhooks.replay(actor, param('webhookId'), param('eventId'))),
  }),
  route({
    ...integrator,
    method: 'POST',
    path: `${webhook}/recover`,
    body: schemas.recover,
    handle: async ({ service, actor, param, body }) =>
      reply(await service.webhooks.recover(actor, param('webhookId'), defined(body))),
  }),
  route({
    ...member,
    right: 'readReviewEvents',
    method: 'GET',
    path: '/v1/review-events',
    query: schemas.reviewEventsQuery,
    handle: async ({ service, actor, ctx, query: { subscriptionId, ...query } }) => {
      const part = askedPart(query) ?? firstPage
      if ('page' in part)
        return reply(await service.webhooks.reviewEvents(actor, { subscriptionId, ...part }))
      const listing = await service.webhooks.reviewEventsAfter(actor, { subscriptionId, ...part })
      return listing.ok ? ok(streamRows(ctx, listing.value)) : listing
    },
  }),
  route({
    host: 'portal',
    auth: 'none',
    method: 'GET',
    path: '/.well-known/webhook-keys/:tenantId',
    query: schemas.noQuery,
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
