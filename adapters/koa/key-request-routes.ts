import {
  cancelKeyRequest,
  issueCustomerKey,
  listKeyRequests,
  readKeyRequest,
  submitKeyRequest,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { answerSchema } from './bind/schema.ts'
import { member } from './callers.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'
import { noBody } from './schemas.ts'

const requests = '/v1/customer-keys/requests'
const request = `${requests}/:requestId` as const
const small = { limit: smallBody }

/** What admins ask of staff about keys. */
export const keyRequestRoutes: readonly Route[] = [
  http(submitKeyRequest, 'POST', `${requests}/:action`, small),
  http(listKeyRequests, 'GET', requests),
  http(readKeyRequest, 'GET', request),
  http(cancelKeyRequest, 'POST', `${request}/cancel`, small),
  route({
    ...member,
    right: 'manageCustomerKeys',
    name: 'keyRequests.reveal',
    summary: 'Issue the key of an executed request and show its value to the requester, once',
    method: 'POST',
    path: `${request}/reveal`,
    body: jsonBody(noBody, smallBody),
    answer: json(answerSchema(issueCustomerKey.gives)),
    refuses: ['invalid_transition', 'reveal_expired', 'application_gone', 'too_many_keys'],
    handle: async ({ service, actor, param }) =>
      reply(await service.keyRequests.reveal(actor, { requestId: param('requestId') })),
  }),
]
