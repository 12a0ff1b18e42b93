import { checkLine, checkName } from '../../ledger/check-text.ts'
import { checkOneOf, type Errors, wrong } from '../../ledger/input-errors.ts'
import { alertWindowSeconds, longest } from '../../ledger/limits.ts'
import { severities } from '../policy/shapes.ts'
import type { AlertRuleInput } from '../view.ts'
import { comparators, isWithin } from './machine.ts'
import { metricNames } from './metrics.ts'

/** Checks an alert rule, but for whether its application is there. */
export function checkAlertRule(input: AlertRuleInput): Errors {
  const { name, applicationId, metricName, comparator, threshold, severity } = input
  const { recoveryThreshold = null } = input
  const { windowSeconds = alertWindowSeconds.usual } = input
  const bounds = { comparator, threshold, recoveryThreshold }
  const isNumber = Number.isFinite(threshold)
  return [
    ...checkName(name, '/name', longest.name),
    ...checkLine(applicationId, '/applicationId', longest.id),
    ...checkOneOf(metricName, metricNames, '/metricName'),
    ...checkOneOf(comparator, comparators, '/comparator'),
    ...checkOneOf(severity, severities, '/severity'),
    ...(isNumber ? [] : [wrong('/threshold', `expected a number, got ${threshold}`)]),
    ...(recoveryThreshold === null || Number.isFinite(recoveryThreshold)
      ? []
      : [wrong('/recoveryThreshold', `expected a number or null, got ${recoveryThreshold}`)]),
    ...(isWithin(bounds)
      ? []
      : [
          wrong(
            '/recoveryThreshold',
            `expected a number on the good side of the threshold (${comparator} ${threshold}), got ${recoveryThreshold}`,
          ),
        ]),
    ...checkWindow(windowSeconds),
    ...(metricName === 'quota.used_percent' && (applicationId ?? null) !== null
      ? [
          wrong(
            '/applicationId',
            'expected null: quota.used_percent is of the organization, not of an application',
          ),
        ]
      : []),
  ]
}

function checkWindow(seconds: number): Errors {
  const { least, most } = alertWindowSeconds
  if (Number.isSafeInteger(seconds) && seconds >= least && seconds <= most) return []
  return [
    wrong('/windowSeconds', `expected whole seconds from ${least} to ${most}, got ${seconds}`),
  ]
}
