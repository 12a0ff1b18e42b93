import type { Observer } from '../../base/ports/observer.ts'
import type { Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
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
  return {
    kind: 'horizonReset',
    permanent: ['all'],
    async run(_item, unit) {
      const rows = await rowsAhead(unit)
      const puts: Put[] = []
      for (const row of rows) puts.push(...(await putsOf(unit, row)))
      for (const { row } of rows)
        observer.event('webhook.horizon_reset', {
          tenantId: row.tenantId,
          aheadMs: row.latestMark - unit.now,
        })
      return { set: { puts }, next: rows.length < piece ? unit.now + everyMs : unit.now }
    },
  }
}

/** Routing rows with a mark, of their own or of a webhook, that lies further ahead than a right clock puts it. */
async function rowsAhead(unit: UnitOfWork): Promise<readonly Versioned<Routing>[]> {
  const after = unit.now + aheadMs
  const [found] = await unit.read([
    list(routings, { by: 'byLatestMark', where: [['latestMark', '>', after]], take: piece }),
  ])
  return many(routings, found)
}

async function putsOf(unit: UnitOfWork, routing: Versioned<Routing>): Promise<readonly Put[]> {
  const { routes } = routing.row
  const found = await unit.read(routes.map(({ webhookId }) => get(webhooks, [webhookId])))
  return [
    put(routings, marked(broughtBack(routing.row, unit.now), 0), routing),
    ...found.flatMap((answer) => {
      const webhook = one(webhooks, answer)
      const back = webhook && webhookBroughtBack(webhook.row, unit.now)
      return back && back !== webhook.row ? [put(webhooks, back, webhook)] : []
    }),
  ]
}

function webhookBroughtBack(webhook: Webhook, now: number): Webhook {
  const turnedOffAt = webhook.turnedOffAt === null ? null : backTo(now, webhook.turnedOffAt)
  const unreported = webhook.unreported.map((window) => windowBroughtBack(window, now))
  const isSame =
    turnedOffAt === webhook.turnedOffAt &&
    unreported.every((window, at) => window === webhook.unreported[at])
  return isSame ? webhook : { ...webhook, turnedOffAt, unreported }
}
