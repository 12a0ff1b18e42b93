import { takingData } from '../../applications/load.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import { most } from '../../kernel/ledger/limits.ts'
import type { FieldError } from '../../kernel/ledger/refusal.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import { command, reading } from '../../kernel/operation.ts'
import { page, place, placeOf } from '../../kernel/page.ts'
import { orNotFound, type Query } from '../../kernel/query.ts'
import { just, type RowsOf } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { judgement } from '../judgement/item.ts'
import { isWithin, newAlertState } from './machine.ts'
import { unmailed } from './mailing.ts'
import {
  type AlertRule,
  type AlertRuleView,
  alertDefinition,
  alertRuleShape,
  alertRules,
  shownAlertRule,
} from './records.ts'

const id = { alertRuleId: shownAlertRule.alertRuleId }

/** A page of alert rules, the oldest first. */
export const listAlertRules = reading({
  name: 'alertRules.list',
  doc: 'List alert rules with their state',
  right: 'readAlertRules',
  takes: page,
  gives: object({ alertRules: listOf(alertRuleShape), ...place }, 'AlertRules'),
  refuses: [],
  async run({ ask, by: { tenantId } }, asked) {
    const { rules } = await ask({ rules: alertRules.by('key', { tenantId }, asked) })
    return { alertRules: rules.rows.map(({ row }) => shown(row)), ...placeOf(rules.total, asked) }
  },
})

/** One alert rule. */
export const readAlertRule = reading({
  name: 'alertRules.read',
  doc: 'Read an alert rule with its state',
  right: 'readAlertRules',
  takes: id,
  gives: alertRuleShape,
  refuses: ['not_found'],
  async run({ ask, by }, { alertRuleId }) {
    const { rule } = await ask({ rule: existing(by, alertRuleId) })
    return shown(rule.row)
  },
})

/** Creates an alert rule; as many as `most.alertRules` an organization. */
export const createAlertRule = command({
  name: 'alertRules.create',
  doc: 'Create an alert rule, which is judged at once',
  right: 'manageAlertRules',
  takes: alertDefinition,
  also: faultsBetween,
  gives: alertRuleShape,
  refuses: ['alert_rule_limit', 'application_gone', 'not_found'],
  async run(unit, definition) {
    const { tenantId } = unit.by
    const { count } = await unit.ask({
      count: alertRules.count('key', { tenantId }),
      application: takingData(tenantId, definition.applicationId),
    })
    if (count >= most.alertRules)
      unit.refuse(
        'alert_rule_limit',
        `the organization has ${count} alert rules, expected fewer than ${most.alertRules}`,
      )
    const { now } = unit
    const times = { triggeredAt: null, createdAt: now, updatedAt: now }
    const state = { ...newAlertState(now), mailing: unmailed }
    const rule = { tenantId, alertRuleId: unit.id('rule'), ...definition, ...state, ...times }
    return save(unit, 'alert_rule.created', rule)
  },
})

/** Replaces the definition of an alert rule. One that compares or measures something else begins as `ok`. */
export const updateAlertRule = command({
  name: 'alertRules.update',
  doc: 'Replace an alert rule; no event tells of it',
  right: 'manageAlertRules',
  takes: { ...id, ...alertDefinition },
  also: faultsBetween,
  gives: alertRuleShape,
  refuses: ['application_gone', 'not_found'],
  async run(unit, { alertRuleId, ...definition }) {
    const { was } = await unit.ask({
      was: existing(unit.by, alertRuleId),
      application: takingData(unit.by.tenantId, definition.applicationId),
    })
    const changed = keysOf(definition).filter((name) => definition[name] !== was.row[name])
    if (changed.length === 0) return shown(was.row)
    const isOther = changed.some((name) => name !== 'name' && name !== 'severity')
    const state = isOther ? { ...newAlertState(unit.now), triggeredAt: null } : {}
    const rule = { ...was.row, ...definition, ...state, updatedAt: unit.now }
    return save(unit, 'alert_rule.updated', rule, was)
  },
})

/** Removes an alert rule. */
export const removeAlertRule = command({
  name: 'alertRules.remove',
  doc: 'Remove an alert rule; no event tells of it',
  right: 'manageAlertRules',
  takes: id,
  gives: object({ ...id, deleted: just(true) }, 'RemovedAlertRule'),
  refuses: ['not_found'],
  async run(unit, { alertRuleId }) {
    const { was } = await unit.ask({ was: existing(unit.by, alertRuleId) })
    unit.remove(alertRules, was)
    unit.wake(judgement(unit.by.tenantId))
    auditRule(unit, 'alert_rule.removed', was.row)
    return { alertRuleId, deleted: true as const }
  },
})

/** Alert rules (interface, Portal host). */
export const alertRuleOperations = [
  listAlertRules,
  createAlertRule,
  readAlertRule,
  updateAlertRule,
  removeAlertRule,
] as const

type Change = Unit<MemberActor, never>

function existing(
  { tenantId }: MemberActor,
  alertRuleId: string,
): Query<Versioned<AlertRule>, 'not_found'> {
  return orNotFound(alertRules.get(tenantId, alertRuleId), 'alert rule')
}

function save(
  unit: Change,
  action: string,
  rule: AlertRule,
  was?: Versioned<AlertRule>,
): AlertRuleView {
  unit.put(alertRules, rule, was)
  unit.wake(judgement(rule.tenantId))
  auditRule(unit, action, rule)
  return shown(rule)
}

/** Without the rule's name, which is its owner's free text. */
function auditRule(unit: Change, action: string, rule: AlertRule): void {
  const { name: _, ...definition } = alertDefinition
  unit.audit(action, rule.alertRuleId, showAll(definition, rule))
}

function shown(rule: AlertRule): AlertRuleView {
  return showAll(shownAlertRule, rule)
}

function keysOf<T extends object>(value: T): readonly (keyof T)[] {
  return Object.keys(value) as (keyof T)[]
}

type Definition = RowsOf<typeof alertDefinition>

function faultsBetween(definition: Definition): readonly FieldError[] {
  const { comparator, threshold, recoveryThreshold, metricName, applicationId } = definition
  return [
    ...(isWithin(definition)
      ? []
      : [
          wrong(
            '/recoveryThreshold',
            `expected a number on the good side of the threshold (${comparator} ${threshold}), got ${recoveryThreshold}`,
          ),
        ]),
    ...(metricName === 'quota.used_percent' && applicationId !== null
      ? [
          wrong(
            '/applicationId',
            'expected null: quota.used_percent is of the organization, not of an application',
          ),
        ]
      : []),
  ]
}
