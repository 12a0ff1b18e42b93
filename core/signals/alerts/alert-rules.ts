import { actorName } from '../../access/actor.ts'
import { authorizeMember } from '../../access/authorize.ts'
import { executeAs } from '../../access/execute-as.ts'
import { active, applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import { audit } from '../../ledger/audit.ts'
import { refuseErrors } from '../../ledger/input-errors.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { answer, commit, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import { alertWindowSeconds, most } from '../../ledger/limits.ts'
import { checkPage, pageOf } from '../../ledger/page.ts'
import { get, list, many, one, put, unchanged } from '../../ledger/reads.ts'
import { ok, type Result, refuse } from '../../ledger/refusal.ts'
import type { Check, Found, Versioned } from '../../ports/store.ts'
import type { SignalDeps } from '../deps.ts'
import { judgementItemOf, judgeNow } from '../judgement/item.ts'
import type { SignalUseCases } from '../use-cases.ts'
import type { AlertRuleInput, AlertRuleView } from '../view.ts'
import { checkAlertRule } from './check-input.ts'
import { newAlertState } from './machine.ts'
import { type AlertRule, alertRules } from './records.ts'

type Deps = Pick<SignalDeps, 'ledger'>

export function listAlertRules({ ledger }: Deps): SignalUseCases['listAlertRules'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readAlertRules')
    if (!member.ok) return member
    const paging = checkPage(query)
    if (!paging.ok) return paging
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [
      list(alertRules, {
        where: [['tenantId', '=', tenantId]],
        skip: (query.page - 1) * query.pageSize,
        take: query.pageSize,
        count: true,
      }),
    ])
    const items = many(alertRules, found).map(({ row }) => alertRuleView(row))
    return ok(pageOf(items, found?.total ?? 0, query))
  }
}

export function readAlertRule({ ledger }: Deps): SignalUseCases['readAlertRule'] {
  return async (actor, alertRuleId) => {
    const member = authorizeMember(actor, 'readAlertRules')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [get(alertRules, [tenantId, alertRuleId])])
    const rule = existing(found)
    return rule.ok ? ok(alertRuleView(rule.value.row)) : rule
  }
}

export function createAlertRule({ ledger }: Deps): SignalUseCases['createAlertRule'] {
  return async (actor, input) => {
    const member = authorizeMember(actor, 'manageAlertRules')
    if (!member.ok) return member
    const malformed = refuseErrors(checkAlertRule(input))
    if (malformed) return malformed
    return executeAs<AlertRuleView>(ledger, actor, 'manageAlertRules', async (unit, by) => {
      const { tenantId } = by
      const [foundItem, counted] = await unit.read([
        judgementItemOf(tenantId),
        list(alertRules, { where: [['tenantId', '=', tenantId]], take: 0, count: true }),
      ])
      const checked = await checkApplication(unit, tenantId, input)
      if (!checked.ok) return refusal(checked)
      const count = counted?.total ?? 0
      if (count >= most.alertRules)
        return refusal(
          refuse(
            'alert_rule_limit',
            `the organization has ${count} alert rules, expected fewer than ${most.alertRules}`,
          ),
        )
      const rule: AlertRule = {
        tenantId,
        alertRuleId: unit.id('rule'),
        ...definitionOf(input),
        ...newAlertState(unit.now),
        triggeredAt: null,
        createdAt: unit.now,
        updatedAt: unit.now,
      }
      return commit(
        {
          puts: [put(alertRules, rule, null), judgeNow({ tenantId, now: unit.now }, foundItem)],
          checks: checked.value,
          appends: [entryOf(rule, 'alert_rule.created', actorName(by), unit.now)],
        },
        alertRuleView(rule),
      )
    })
  }
}

/** Replaces a rule; one that measures or compares anew begins as `ok`, and no event tells of it. */
export function updateAlertRule({ ledger }: Deps): SignalUseCases['updateAlertRule'] {
  return async (actor, alertRuleId, input) => {
    const member = authorizeMember(actor, 'manageAlertRules')
    if (!member.ok) return member
    const malformed = refuseErrors(checkAlertRule(input))
    if (malformed) return malformed
    return executeAs<AlertRuleView>(ledger, actor, 'manageAlertRules', async (unit, by) => {
      const { tenantId } = by
      const [found, foundItem] = await unit.read([
        get(alertRules, [tenantId, alertRuleId]),
        judgementItemOf(tenantId),
      ])
      const loaded = existing(found)
      if (!loaded.ok) return refusal(loaded)
      const checked = await checkApplication(unit, tenantId, input)
      if (!checked.ok) return refusal(checked)
      const was = loaded.value
      const definition = definitionOf(input)
      const changed = (Object.keys(definition) as (keyof Definition)[]).filter(
        (name) => definition[name] !== was.row[name],
      )
      if (changed.length === 0) return answer(alertRuleView(was.row))
      const begins = changed.some((name) => name !== 'name' && name !== 'severity')
      const rule: AlertRule = {
        ...was.row,
        ...definition,
        ...(begins ? { ...newAlertState(unit.now), triggeredAt: null } : {}),
        updatedAt: unit.now,
      }
      return commit(
        {
          puts: [put(alertRules, rule, was), judgeNow({ tenantId, now: unit.now }, foundItem)],
          checks: checked.value,
          appends: [entryOf(rule, 'alert_rule.updated', actorName(by), unit.now)],
        },
        alertRuleView(rule),
      )
    })
  }
}

export function removeAlertRule({ ledger }: Deps): SignalUseCases['removeAlertRule'] {
  return (actor, alertRuleId) =>
    executeAs<null>(ledger, actor, 'manageAlertRules', async (unit, by) => {
      const { tenantId } = by
      const [found, foundItem] = await unit.read([
        get(alertRules, [tenantId, alertRuleId]),
        judgementItemOf(tenantId),
      ])
      const loaded = existing(found)
      if (!loaded.ok) return refusal(loaded)
      const { row, version } = loaded.value
      return commit(
        {
          removes: [{ in: alertRules.name, key: [tenantId, alertRuleId], version }],
          puts: [judgeNow({ tenantId, now: unit.now }, foundItem)],
          appends: [entryOf(row, 'alert_rule.removed', actorName(by), unit.now)],
        },
        null,
      )
    })
}

function existing(found: Found | undefined): Result<Versioned<AlertRule>> {
  const rule = one(alertRules, found)
  return rule ? ok(rule) : refuse('not_found', 'no such alert rule')
}

/** The application that a rule is about takes data, also at the commit. */
async function checkApplication(
  unit: UnitOfWork,
  tenantId: string,
  { applicationId = null }: AlertRuleInput,
): Promise<Result<readonly Check[]>> {
  if (applicationId === null) return ok([])
  const [found] = await unit.read([applicationOf(tenantId, applicationId)])
  const application = active(found)
  if (!application.ok) return application
  return ok([unchanged(applications, application.value)])
}

/** What its owner says of a rule. */
type Definition = Pick<
  AlertRule,
  | 'applicationId'
  | 'name'
  | 'metricName'
  | 'comparator'
  | 'threshold'
  | 'recoveryThreshold'
  | 'severity'
  | 'windowSeconds'
  | 'enabled'
>

function definitionOf(input: AlertRuleInput): Definition {
  const { applicationId = null, name, metricName, comparator, threshold, severity } = input
  const { recoveryThreshold = null, windowSeconds = alertWindowSeconds.usual } = input
  return {
    ...{ applicationId, name: name.trim(), metricName, comparator, threshold },
    ...{ recoveryThreshold, severity, windowSeconds, enabled: input.enabled ?? true },
  }
}

/** Without the rule's name, which is its owner's free text. */
function entryOf(rule: AlertRule, action: string, actor: string, now: number) {
  const { tenantId, alertRuleId, applicationId, metricName, comparator, threshold } = rule
  const { recoveryThreshold, severity, windowSeconds, enabled } = rule
  const detail = { applicationId, metricName, comparator, threshold, recoveryThreshold }
  return audit(tenantId, {
    at: isoTime(now),
    actor,
    action,
    subject: alertRuleId,
    detail: { ...detail, severity, windowSeconds, enabled },
  })
}

/** A rule as it is told. */
export function alertRuleView(rule: AlertRule): AlertRuleView {
  const { alertRuleId, applicationId, name, metricName, comparator, threshold } = rule
  const { recoveryThreshold, severity, windowSeconds, enabled, state, currentValue } = rule
  return {
    ...{ alertRuleId, name, applicationId, metricName, comparator, threshold },
    ...{ recoveryThreshold, severity, windowSeconds, enabled, state, currentValue },
    stateSince: isoTime(rule.stateSince),
  }
}
