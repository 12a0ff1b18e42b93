import {
  createChannel,
  listChannels,
  readChannel,
  removeChannel,
  testChannel,
  updateChannel,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const channels = '/v1/customer/notification-channels'

/** Chat channels (interface, Portal host). */
export const channelRoutes: readonly Route[] = [
  http(listChannels, 'GET', channels),
  http(createChannel, 'POST', channels),
  http(readChannel, 'GET', `${channels}/:channelId`),
  http(updateChannel, 'PUT', `${channels}/:channelId`),
  http(removeChannel, 'DELETE', `${channels}/:channelId`),
  http(testChannel, 'POST', `${channels}/:channelId/test`, { limit: smallBody }),
]
