import { alertWindowSeconds, longest } from '../../kernel/ledger/limits.ts'
import { object } from '../../kernel/members.ts'
import {
  flag,
  type InsOf,
  line,
  name,
  number,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  time,
  whole,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull, usual } from '../../kernel/wrap.ts'
import { severities } from '../rules/shapes.ts'
import { comparators } from './machine.ts'
import type { AlertMailing } from './mailing.ts'
import { metricNames } from './metrics.ts'

/** The members that the owner of a rule sets; a PUT replaces, so that absent members take their defaults. */
export const alertDefinition = {
  name: name(longest.name),
  /** Null: over all applications of the organization. */
  applicationId: orNull(line(longest.id)),
  metricName: oneOf(metricNames),
  comparator: oneOf(comparators),
  threshold: number,
  /** The good side begins here; null: at `threshold`. */
  recoveryThreshold: orNull(number),
  severity: oneOf(severities),
  windowSeconds: usual(
    whole(alertWindowSeconds.least, alertWindowSeconds.most),
    alertWindowSeconds.usual,
  ),
  enabled: usual(flag, true),
}

/** The members that readers of a rule see. */
export const shownAlertRule = {
  alertRuleId: line(longest.id),
  ...alertDefinition,
  state: oneOf(['ok', 'triggered']),
  /** Of the last judgement that had data; null before it. */
  currentValue: orNull(number),
  stateSince: time,
}

/** Alert rules with their state. */
export const alertRules = table({
  name: 'alertRules',
  members: {
    tenantId: line(longest.id),
    ...shownAlertRule,
    /** Judgements in a row on the good side while triggered. */
    recovered: whole(0, Number.MAX_SAFE_INTEGER),
    /** The `timestamp` of the event that announced the alert; null while the rule is ok. */
    triggeredAt: orNull(time),
    mailing: stored<AlertMailing>(),
    createdAt: time,
    updatedAt: time,
  },
  key: ['tenantId', 'alertRuleId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'so many per tenant' },
})

/** An alert rule with its state. */
export interface AlertRule extends RowsOf<typeof alertRules.members> {}
/** An alert rule to save. */
export interface AlertRuleInput extends InsOf<typeof alertDefinition> {}
/** An alert rule, and how it was judged last. */
export interface AlertRuleView extends OutsOf<typeof shownAlertRule> {}

/** The answer that is one rule. */
export const alertRuleShape: Shape<
  RowsOf<typeof shownAlertRule>,
  InsOf<typeof shownAlertRule>,
  AlertRuleView
> = object(shownAlertRule, 'AlertRule')
