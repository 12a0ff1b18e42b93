import type { PlanName } from '@countersign/core/access'
import { plans } from '@countersign/core/access'
import { staffActor, staffOption } from './staff.ts'
import { CommandError, type Subcommand, UsageError } from './subcommand.ts'
import { withService } from './with-service.ts'

const names = Object.keys(plans) as PlanName[]

export const plan: Subcommand = {
  summary: "set an organization's plan",
  help: `Usage: countersign plan TENANT PLAN [--retention-days DAYS] [--as NAME] [--json]

A smaller plan takes features and quota at once, and shortens retention after 7 days. Needs the
settings of the server, from its environment; the server may run.

  TENANT                 the organization's id, ten_...
  PLAN                   ${names.join(', ')}
  --retention-days DAYS  of Enterprise, 365 to 3650
  --as NAME              who does it, for the audit log: staff:NAME; else system

  countersign plan ten_01m7ynaym003y8285nwmpa7esh Enterprise --retention-days 730 --as ada
`,
  options: { 'retention-days': { type: 'string' }, ...staffOption },
  positionals: ['TENANT', 'PLAN'],
  run: ({ values, positionals: [tenantId = '', name = ''] }, around) => {
    const chosen = names.find((each) => each === name)
    if (!chosen) throw new UsageError(`expected one of ${names.join(', ')}, got ${name}`)
    const days = values['retention-days']
    if (days !== undefined && !/^\d{1,5}$/.test(String(days)))
      throw new UsageError(`expected a number of days, got ${String(days)}`)
    const actor = staffActor(values)
    return withService(around, async ({ tenants }) => {
      const set = await tenants.setPlan(actor, {
        tenantId,
        plan: chosen,
        ...(days !== undefined && { retentionDays: Number(days) }),
      })
      if (!set.ok) throw new CommandError(`${tenantId}: ${set.refusal.detail}`)
      const { plan: now, retentionDays } = set.value
      return {
        ok: true,
        text: `${tenantId}: ${now}, sessions are kept for ${retentionDays} days\n`,
        facts: { tenantId, plan: now, retentionDays },
      }
    })
  },
}
