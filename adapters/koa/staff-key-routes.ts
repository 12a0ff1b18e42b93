import { staff } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/key-answers.ts'
import * as schemas from './key-schemas.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { partOf } from './whole-list.ts'

const requests = '/v1/staff/key-requests'
const request = `${requests}/:requestId` as const

/** What staff does with key requests and keys. */
export const staffKeyRoutes: readonly Route[] = [
  route({
    ...staff,
    right: 'executeKeyRequests',
    name: 'keyRequests.list',
    summary: 'List the key requests of all organizations, newest first',
    method: 'GET',
    path: requests,
    query: schemas.staffKeyRequestsQuery,
    answer: json(answers.staffKeyRequestsAnswer),
    refuses: [],
    handle: async ({ service, actor, query: { status, ...asked } }) =>
      replyAs(
        await service.keyRequests.listForStaff(actor, defined({ status }), partOf(asked)),
        partAs('keyRequests'),
      ),
  }),
  route({
    ...staff,
    right: 'executeKeyRequests',
    name: 'keyRequests.approve',
    summary: 'Approve a key request',
    method: 'POST',
    path: `${request}/approve` as const,
    body: jsonBody(schemas.staffStep, smallBody),
    answer: json(answers.staffKeyRequestAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.keyRequests.approve(actor, param('requestId'), defined(body))),
  }),
  route({
    ...staff,
    right: 'executeKeyRequests',
    name: 'keyRequests.execute',
    summary: 'Execute an approved key request, or a failed one again',
    method: 'POST',
    path: `${request}/execute` as const,
    body: jsonBody(schemas.staffStep, smallBody),
    answer: json(answers.staffKeyRequestAnswer),
    refuses: ['invalid_transition', 'request_pending'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.keyRequests.execute(actor, param('requestId'), defined(body))),
  }),
  route({
    ...staff,
    right: 'executeKeyRequests',
    name: 'keyRequests.reject',
    summary: 'Reject a key request before it is executed',
    method: 'POST',
    path: `${request}/reject` as const,
    body: jsonBody(schemas.staffStep, smallBody),
    answer: json(answers.staffKeyRequestAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.keyRequests.reject(actor, param('requestId'), defined(body))),
  }),
  route({
    ...staff,
    right: 'setCustomerKeyRates',
    name: 'customerKeys.setRate',
    summary: 'Set how many requests a customer key may send within a rolling minute',
    method: 'PUT',
    path: '/v1/staff/customer-keys/:keyId/rate',
    body: jsonBody(schemas.customerKeyRate, smallBody),
    answer: json(answers.staffCustomerKeyAnswer),
    refuses: [],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.access.setCustomerKeyRate(actor, param('keyId'), defined(body))),
  }),
]
