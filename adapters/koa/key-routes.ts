import { ok } from '@countersign/core/ledger'
import { member } from './callers.ts'
import * as answers from './description/key-answers.ts'
import * as schemas from './key-schemas.ts'
import { partAs, streamWhole } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery } from './schemas.ts'
import { askedPart } from './whole-list.ts'

const keys = '/v1/customer-keys'

/** Keys with which backends send sessions, and those that sign. */
export const keyRoutes: readonly Route[] = [
  route({
    ...member,
    right: 'readCustomerKeys',
    name: 'customerKeys.list',
    summary: 'List the customer keys of all applications, without their values',
    method: 'GET',
    path: keys,
    query: listQuery,
    answer: json(answers.customerKeysAnswer),
    refuses: [],
    handle: async ({ service, actor, query, ctx }) => {
      const part = askedPart(query)
      if (part)
        return replyAs(await service.access.listCustomerKeys(actor, part), partAs('customerKeys'))
      const all = await service.access.allCustomerKeys(actor)
      return all.ok ? ok(streamWhole(ctx, 'customerKeys', all.value)) : all
    },
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
  route({
    ...member,
    right: 'readSigningKeys',
    name: 'signingKeys.list',
    summary: 'List the newest signing key of each use',
    method: 'GET',
    path: '/v1/customer/signing-keys',
    answer: json(answers.signingKeysAnswer),
    refuses: [],
    handle: async ({ service, actor }) =>
      replyAs(await service.signingKeys.list(actor), (signingKeys) => ({ signingKeys })),
  }),
  route({
    ...member,
    right: 'rotateSigningKeys',
    name: 'signingKeys.rotate',
    summary: 'Rotate the key that signs events, or the one that signs evidence',
    method: 'POST',
    path: '/v1/customer/signing-keys/rotate',
    body: jsonBody(schemas.rotateSigningKey, smallBody),
    answer: json(answers.signingKeyAnswer),
    refuses: ['not_found', 'already_rotating'],
    handle: async ({ service, actor, body }) =>
      reply(await service.signingKeys.rotate(actor, body.use)),
  }),
]
