import type { Observer } from '../../base/ports/observer.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { get, list, many, one } from '../../kernel/ledger/reads.ts'
import { handler, type WorkHandler, type WorkUnit } from '../../kernel/work/handler.ts'
import { windowBroughtBack } from '../machine/missed-windows.ts'
import { type Routing, routings, type Webhook, webhooks } from '../records.ts'
import { aheadMs, backTo, broughtBack, marked } from './event-time.ts'

const everyMs = 60_000
/** Organizations whose rows are brought back in one commit. */
const piece = 20

/**
 * Brings horizons and windows back to now that a clock which ran ahead put into the future: at each start, each minute,
 * and when the clock of a process was set back.
 */
export function createHorizonReset({ observer }: { readonly observer: Observer }): WorkHandler {
  return handler({
    kind: 'horizonReset',
    of: 'system',
    permanent: ['all'],
    async run(unit) {
      // Of an organization's own or of a webhook: further ahead than a right clock puts them.
      const where = [['latestMark', '>', unit.now + aheadMs] as const]
      const [found] = await unit.read([list(routings, { by: 'byLatestMark', where, take: piece })])
      const rows = many(routings, found)
      for (const row of rows) await bringBack(unit, row)
      for (const { row } of rows)
        observer.event('webhook.horizon_reset', {
          tenantId: row.tenantId,
          aheadMs: row.latestMark - unit.now,
        })
      return rows.length < piece ? unit.now + everyMs : unit.now
    },
  })
}

async function bringBack(unit: WorkUnit<'system'>, routing: Versioned<Routing>): Promise<void> {
  unit.put(routings, marked(broughtBack(routing.row, unit.now), 0), routing)
  const reads = routing.row.routes.map(({ webhookId }) => get(webhooks, [webhookId]))
  for (const found of await unit.read(reads)) {
    const webhook = one(webhooks, found)
    const back = webhook && webhookBroughtBack(webhook.row, unit.now)
    if (back && back !== webhook.row) unit.put(webhooks, back, webhook)
  }
}

function webhookBroughtBack(webhook: Webhook, now: number): Webhook {
  const turnedOffAt = webhook.turnedOffAt === null ? null : backTo(now, webhook.turnedOffAt)
  const unreported = webhook.unreported.map((window) => windowBroughtBack(window, now))
  const isSame =
    turnedOffAt === webhook.turnedOffAt &&
    unreported.every((window, at) => window === webhook.unreported[at])
  return isSame ? webhook : { ...webhook, turnedOffAt, unreported }
}
