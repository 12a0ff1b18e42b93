import { member } from './callers.ts'
import * as answers from './description/key-answers.ts'
import * as schemas from './key-schemas.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { optionalPageQuery } from './schemas.ts'
import { pageOfWhole } from './whole-list.ts'

const keys = '/v1/customer-keys'

/** Keys with which backends send sessions. */
export const keyRoutes: readonly Route[] = [
  route({
    ...member,
    right: 'readCustomerKeys',
    name: 'customerKeys.list',
    summary: 'List the customer keys of all applications, without their values',
    method: 'GET',
    path: keys,
    query: optionalPageQuery,
    answer: json(answers.customerKeysAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.access.listCustomerKeys(actor), (all) => {
        const { items, ...paging } = pageOfWhole(all, query)
        return { customerKeys: items, ...paging }
      }),
  }),
  route({
    ...member,
    right: 'manageCustomerKeys',
    name: 'customerKeys.issue',
    summary: 'Issue a secondary key of an application and show its value once',
    method: 'POST',
    path: `${keys}/issue`,
    body: jsonBody(schemas.issueCustomerKey, smallBody),
    answer: json(answers.newCustomerKeyAnswer),
    refuses: ['not_found', 'application_gone', 'too_many_keys'],
    handle: async ({ service, actor, body }) =>
      reply(await service.access.issueSecondaryKey(actor, body)),
  }),
  route({
    ...member,
    right: 'manageCustomerKeys',
    name: 'customerKeys.revoke',
    summary: 'Revoke a customer key for good',
    method: 'DELETE',
    path: `${keys}/:keyId` as const,
    answer: json(answers.customerKeyAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.access.revokeCustomerKey(actor, param('keyId'))),
  }),
]
