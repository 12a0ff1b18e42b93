import {
  approveKeyRequest,
  executeKeyRequest,
  listForStaff,
  rejectKeyRequest,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { staff } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/key-answers.ts'
import * as schemas from './key-schemas.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'

const requests = '/v1/staff/key-requests'
const request = `${requests}/:requestId` as const
const small = { limit: smallBody }

/** What staff does with key requests and keys. */
export const staffKeyRoutes: readonly Route[] = [
  http(listForStaff, 'GET', requests, { name: 'keyRequests.list' }),
  http(approveKeyRequest, 'POST', `${request}/approve`, small),
  http(executeKeyRequest, 'POST', `${request}/execute`, small),
  http(rejectKeyRequest, 'POST', `${request}/reject`, small),
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
