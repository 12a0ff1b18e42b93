import {
  approveKeyRequest,
  executeKeyRequest,
  listForStaff,
  rejectKeyRequest,
  setCustomerKeyRate,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const requests = '/v1/staff/key-requests'
const request = `${requests}/:requestId` as const
const small = { limit: smallBody }

/** What staff does with key requests and keys. */
export const staffKeyRoutes: readonly Route[] = [
  http(listForStaff, 'GET', requests, { name: 'keyRequests.list' }),
  http(approveKeyRequest, 'POST', `${request}/approve`, small),
  http(executeKeyRequest, 'POST', `${request}/execute`, small),
  http(rejectKeyRequest, 'POST', `${request}/reject`, small),
  http(setCustomerKeyRate, 'PUT', '/v1/staff/customer-keys/:keyId/rate', small),
]
