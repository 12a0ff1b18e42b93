import {
  cancelKeyRequest,
  listKeyRequests,
  readKeyRequest,
  revealKey,
  submitKeyRequest,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const requests = '/v1/customer-keys/requests'
const request = `${requests}/:requestId` as const
const small = { limit: smallBody }

/** What admins ask of staff about keys. */
export const keyRequestRoutes: readonly Route[] = [
  http(submitKeyRequest, 'POST', `${requests}/:action`, small),
  http(listKeyRequests, 'GET', requests),
  http(readKeyRequest, 'GET', request),
  http(cancelKeyRequest, 'POST', `${request}/cancel`, small),
  http(revealKey, 'POST', `${request}/reveal`, small),
]
