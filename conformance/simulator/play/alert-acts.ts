import type { AlertRuleInput } from '@countersign/core'
import { alertRules } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { AlertAct, Command } from '../plan.ts'
import { keyText } from '../truth.ts'
import type { Stage } from './stage.ts'

const metrics = [
  'sessions.count',
  'sessions.count',
  'reviews.open',
  'tokens.total',
  'sessions.failed_percent',
  'policy.violations',
  'deliveries.dead_lettered',
] as const
const windows = [60, 300, 3_600, 86_400] as const

function drawRule(draw: SeededRandom, applicationId: string | null): AlertRuleInput {
  const comparator = (['gt', 'gte', 'lt', 'lte'] as const)[draw.below(10) < 8 ? draw.below(2) : 2]
  return {
    name: 'a rule',
    applicationId,
    metricName: metrics[draw.below(metrics.length)] ?? metrics[0],
    comparator: comparator ?? 'gte',
    threshold: draw.below(3),
    severity: (['info', 'warning', 'critical'] as const)[draw.below(3)] ?? 'info',
    windowSeconds: windows[draw.below(windows.length)] ?? 300,
    enabled: draw.chance(0.9),
  }
}

export async function actOnAlerts(
  stage: Stage,
  command: Extract<Command, { kind: AlertAct }>,
): Promise<void> {
  const { client, cast, truth, world } = stage
  const draw = seededRandom(command.draw)
  const { admin } = cast
  const app = command.app === null ? null : cast.applications[command.app]
  const rule = drawRule(draw, app?.applicationId ?? null)
  if (command.kind === 'alert_create') {
    const heard = await client.ask(draw, `create a rule on ${rule.metricName}`, (service) =>
      service.alertRules.create(admin, rule),
    )
    if (heard.kind !== 'ok') return
    const { alertRuleId } = heard.value
    if (!stage.rules.has(alertRuleId))
      world.broken('acknowledged is kept', `${alertRuleId} was told as created, not committed`)
    return
  }
  const all = [...truth.rows(alertRules).values()]
  const one = all[draw.below(Math.max(1, all.length))]?.row
  if (!one) return
  const { alertRuleId } = one
  if (command.kind === 'alert_update') {
    await client.ask(draw, `change ${alertRuleId}`, (service) =>
      service.alertRules.update(admin, { alertRuleId, ...rule }),
    )
    return
  }
  const heard = await removeRule(stage, alertRuleId, draw)
  const { tenantId } = one
  if (heard.kind === 'ok' && truth.rows(alertRules).has(keyText([tenantId, alertRuleId])))
    world.broken('acknowledged is kept', `${alertRuleId} was told as removed, and is there`)
}

export function removeRule({ client, cast }: Stage, alertRuleId: string, draw: SeededRandom) {
  return client.ask(draw, `remove ${alertRuleId}`, (service) =>
    service.alertRules.remove(cast.admin, { alertRuleId }),
  )
}
