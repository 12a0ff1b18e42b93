import {
  cancelTenantDeletion,
  listPoisoned,
  requestTenantDeletion,
  requeuePurge,
  resolvePurge,
  resumeTenant,
  setPlan,
  suspendTenant,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const tenant = '/v1/staff/tenants/:tenantId'
const poison = '/v1/staff/purge-poison'
const small = { limit: smallBody }

/** What staff of the service does to organizations. */
export const staffRoutes: readonly Route[] = [
  http(suspendTenant, 'POST', `${tenant}/suspend`, small),
  http(resumeTenant, 'POST', `${tenant}/resume`, small),
  http(setPlan, 'PUT', `${tenant}/plan`, small),
  http(requestTenantDeletion, 'POST', `${tenant}/deletion`),
  http(cancelTenantDeletion, 'DELETE', `${tenant}/deletion`),
  http(listPoisoned, 'GET', poison),
  http(requeuePurge, 'POST', `${poison}/:messageId/requeue`, small),
  http(resolvePurge, 'POST', `${poison}/:messageId/resolve`, small),
]
