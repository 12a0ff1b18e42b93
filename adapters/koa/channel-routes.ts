import { member } from './callers.ts'
import * as schemas from './channel-schemas.ts'
import { defined } from './defined.ts'
import * as answers from './description/channel-answers.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { noBody, pageQuery } from './schemas.ts'

const viewer = { ...member, right: 'readChannels', method: 'GET', refuses: [] } as const
const admin = { ...member, right: 'manageChannels' } as const
const channels = '/v1/customer/notification-channels'
const channel = `${channels}/:channelId` as const

/** Chat channels (interface, Portal host). */
export const channelRoutes: readonly Route[] = [
  route({
    ...viewer,
    name: 'notificationChannels.list',
    summary: 'List chat channels',
    path: channels,
    query: pageQuery,
    answer: json(answers.channelsAnswer),
    handle: async ({ service, actor, query }) =>
      replyAs(await service.channels.list(actor, query), ({ items, ...paging }) => ({
        notificationChannels: items,
        ...paging,
      })),
  }),
  route({
    ...admin,
    name: 'notificationChannels.create',
    feature: 'notificationChannels',
    summary: 'Create a chat channel, which hears of events at once',
    method: 'POST',
    path: channels,
    body: jsonBody(schemas.createChannel),
    answer: json(answers.channelAnswer),
    refuses: ['invalid_url', 'refused_address', 'channel_limit'],
    handle: async ({ service, actor, body }) =>
      reply(await service.channels.create(actor, defined(body))),
  }),
  route({
    ...viewer,
    name: 'notificationChannels.read',
    summary: 'Read a chat channel',
    path: channel,
    answer: json(answers.channelAnswer),
    handle: async ({ service, actor, param }) =>
      reply(await service.channels.read(actor, param('channelId'))),
  }),
  route({
    ...admin,
    name: 'notificationChannels.update',
    summary: 'Change a chat channel; absent members keep',
    method: 'PUT',
    path: channel,
    body: jsonBody(schemas.updateChannel),
    answer: json(answers.channelAnswer),
    refuses: ['invalid_url', 'refused_address', 'plan_required'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.channels.update(actor, param('channelId'), defined(body))),
  }),
  route({
    ...admin,
    name: 'notificationChannels.remove',
    summary: 'Remove a chat channel',
    method: 'DELETE',
    path: channel,
    answer: json(answers.removedChannelAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      replyAs(await service.channels.remove(actor, param('channelId')), () => ({
        channelId: param('channelId'),
        deleted: true as const,
      })),
  }),
  route({
    ...admin,
    name: 'notificationChannels.test',
    feature: 'notificationChannels',
    summary: 'Send a sample message once',
    method: 'POST',
    path: `${channel}/test`,
    body: jsonBody(noBody, smallBody),
    answer: json(answers.channelTestAnswer),
    refuses: ['endpoint_gone', 'invalid_transition'],
    handle: async ({ service, actor, param }) =>
      reply(await service.channels.test(actor, param('channelId'))),
  }),
]
