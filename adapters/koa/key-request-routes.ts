import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/key-answers.ts'
import * as schemas from './key-schemas.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery, noBody } from './schemas.ts'
import { partOf } from './whole-list.ts'

const requests = '/v1/customer-keys/requests'

/** What admins ask of staff about keys. */
export const keyRequestRoutes: readonly Route[] = [
  route({
    ...member,
    right: 'manageCustomerKeys',
    name: 'keyRequests.submit',
    summary:
      'Ask staff to issue-customer-key, issue-secondary-key, revoke-key or rotate-tenant-key',
    method: 'POST',
    path: `${requests}/:action` as const,
    body: jsonBody(schemas.submitKeyRequest, smallBody),
    answer: json(answers.keyRequestAnswer),
    refuses: ['application_gone', 'invalid_transition', 'request_pending'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.keyRequests.submit(actor, param('action'), defined(body))),
  }),
  route({
    ...member,
    right: 'readCustomerKeys',
    name: 'keyRequests.list',
    summary: 'List key requests, newest first',
    method: 'GET',
    path: requests,
    query: listQuery,
    answer: json(answers.keyRequestsAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.keyRequests.list(actor, partOf(query)), partAs('keyRequests')),
  }),
  route({
    ...member,
    right: 'readCustomerKeys',
    name: 'keyRequests.read',
    summary: 'Read a key request',
    method: 'GET',
    path: `${requests}/:requestId` as const,
    answer: json(answers.keyRequestAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.keyRequests.read(actor, param('requestId'))),
  }),
  route({
    ...member,
    right: 'manageCustomerKeys',
    name: 'keyRequests.cancel',
    summary: 'Withdraw a key request that nobody has approved',
    method: 'POST',
    path: `${requests}/:requestId/cancel` as const,
    body: jsonBody(noBody, smallBody),
    answer: json(answers.keyRequestAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param }) =>
      reply(await service.keyRequests.cancel(actor, param('requestId'))),
  }),
  route({
    ...member,
    right: 'manageCustomerKeys',
    name: 'keyRequests.reveal',
    summary: 'Issue the key of an executed request and show its value to the requester, once',
    method: 'POST',
    path: `${requests}/:requestId/reveal` as const,
    body: jsonBody(noBody, smallBody),
    answer: json(answers.newCustomerKeyAnswer),
    refuses: ['invalid_transition', 'reveal_expired', 'application_gone', 'too_many_keys'],
    handle: async ({ service, actor, param }) =>
      reply(await service.keyRequests.reveal(actor, param('requestId'))),
  }),
]
