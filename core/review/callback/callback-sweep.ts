import type { Application } from '../../applications/records.ts'
import type { Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one } from '../../kernel/ledger/reads.ts'
import { handler } from '../../kernel/work/handler.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'

const kind = 'review.callbackSweep'
/** Deliveries brought forward in one commit. */
const piece = 200
const unfinished = ['pending', 'retry_scheduled'] as const

interface Cursor {
  readonly status: (typeof unfinished)[number]
  readonly after: string
}
const start: Cursor = { status: 'pending', after: '' }

/** Schedules the sweep of an application whose endpoint answered 410, or whose callback is removed. */
export async function sweepPut(
  unit: UnitOfWork,
  { tenantId, applicationId }: Application,
): Promise<Put> {
  const [found] = await unit.read([get(workItems, [kind, applicationId])])
  const item = { kind, ref: applicationId, tenantId, applicationId, due: unit.now, state: start }
  return schedule(item, one(workItems, found))
}

/**
 * Makes every open callback of an application due at once, in bounded pieces. The dispatcher then gives each up without
 * a POST and its case shows it, instead of hours later at the next retry.
 */
export const callbackSweep = handler<Cursor>({
  kind,
  async run(unit, { ref, state: cursor }) {
    const [found] = await unit.read([
      list(deliveries, {
        where: [
          ['endpointId', '=', ref],
          ['status', '=', cursor.status],
          ['messageId', '>', cursor.after],
        ],
        by: 'byStatus',
        take: piece,
      }),
    ])
    const rows = many(deliveries, found)
    for (const was of rows)
      if (waits(was, unit.now)) unit.put(deliveries, { ...was.row, due: unit.now }, was)
    const last = rows.at(-1)
    if (last && rows.length === piece)
      return { state: { ...cursor, after: last.row.messageId }, next: unit.now }
    const next = unfinished[unfinished.indexOf(cursor.status) + 1]
    return next ? { state: { status: next, after: '' }, next: unit.now } : null
  },
})

/** Neither in flight nor due already. */
function waits({ row, leasedBy }: Versioned<Delivery>, now: number): boolean {
  return leasedBy === null && row.due !== null && row.due > now
}
