import {
  createAlertRule,
  listAlertRules,
  readAlertRule,
  removeAlertRule,
  updateAlertRule,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import type { Route } from './operation.ts'

/** Alert rules (interface, Portal host). */
export const alertRoutes: readonly Route[] = [
  http(listAlertRules, 'GET', '/v1/alert-rules'),
  http(createAlertRule, 'POST', '/v1/alert-rules'),
  http(readAlertRule, 'GET', '/v1/alert-rules/:alertRuleId'),
  http(updateAlertRule, 'PUT', '/v1/alert-rules/:alertRuleId'),
  http(removeAlertRule, 'DELETE', '/v1/alert-rules/:alertRuleId'),
]
