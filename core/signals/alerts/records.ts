import type { Collection } from '../../ports/store.ts'
import type { Severity } from '../policy/shapes.ts'
import type { AlertBounds, AlertState } from './machine.ts'
import type { AlertMailing } from './mailing.ts'
import type { MetricName } from './metrics.ts'

/** An alert rule with its state; times are ms. */
export interface AlertRule extends AlertBounds, AlertState {
  readonly tenantId: string
  readonly alertRuleId: string
  /** Null: over all applications of the organization. */
  readonly applicationId: string | null
  readonly name: string
  readonly metricName: MetricName
  readonly severity: Severity
  readonly windowSeconds: number
  readonly enabled: boolean
  /** The `timestamp` of the event that told of the alert; null while the rule is ok. */
  readonly triggeredAt: number | null
  /** Absent before the first alert where mails are sent. */
  readonly mailing?: AlertMailing
  readonly createdAt: number
  readonly updatedAt: number
}

export const alertRules: Collection<AlertRule> = {
  name: 'alertRules',
  key: ['tenantId', 'alertRuleId'],
  columns: { tenantId: 'text', alertRuleId: 'text', applicationId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'so many per tenant' },
}
