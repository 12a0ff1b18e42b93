import {
  issueCustomerKey,
  listCustomerKeys,
  listSigningKeys,
  revokeCustomerKey,
  rotateSigningKey,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const keys = '/v1/customer-keys'
const signingKeys = '/v1/customer/signing-keys'
const small = { limit: smallBody }

/** Keys with which backends send sessions, and those that sign. */
export const keyRoutes: readonly Route[] = [
  http(listCustomerKeys, 'GET', keys, {
    whole: (service, actor) => service.customerKeys.all(actor),
  }),
  http(issueCustomerKey, 'POST', `${keys}/issue`, small),
  http(revokeCustomerKey, 'DELETE', `${keys}/:keyId`),
  http(listSigningKeys, 'GET', signingKeys),
  http(rotateSigningKey, 'POST', `${signingKeys}/rotate`, small),
]
