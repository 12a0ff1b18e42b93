import { issueCustomerKey, listCustomerKeys, revokeCustomerKey } from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { member } from './callers.ts'
import * as answers from './description/key-answers.ts'
import * as schemas from './key-schemas.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'

const keys = '/v1/customer-keys'

/** Keys with which backends send sessions, and those that sign. */
export const keyRoutes: readonly Route[] = [
  http(listCustomerKeys, 'GET', keys, {
    whole: (service, actor) => service.customerKeys.all(actor),
  }),
  http(issueCustomerKey, 'POST', `${keys}/issue`, { limit: smallBody }),
  http(revokeCustomerKey, 'DELETE', `${keys}/:keyId`),
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
