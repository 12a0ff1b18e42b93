import {
  listAuditLog,
  readEntitlements,
  readProfile,
  updateProfile,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

/** The organization: its profile, its plan, its audit log. */
export const organizationRoutes: readonly Route[] = [
  http(readProfile, 'GET', '/v1/customer/profile'),
  http(updateProfile, 'PUT', '/v1/customer/profile', { limit: smallBody }),
  http(readEntitlements, 'GET', '/v1/customer/entitlements'),
  http(listAuditLog, 'GET', '/v1/customer/audit-log'),
]
