import { channelOperations } from './channels/operations.ts'
import type { Facades } from './kernel/facade.ts'
import { alertRuleOperations } from './signals/alerts/operations.ts'

/** The operations of the service, by the groups of its facade: a group is one line here. */
export const groups = {
  alertRules: alertRuleOperations,
  notificationChannels: channelOperations,
} as const

/** The methods of all groups. */
export interface OperationGroups extends Facades<typeof groups> {}
