import type { Application } from '../../applications/records.ts'
import type { Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { handler } from '../../kernel/work/handler.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { firstUnfinished, type UnfinishedCursor, unfinishedPiece } from '../../outbox/unfinished.ts'

const kind = 'review.callbackSweep'
/** Schedules the sweep of an application whose endpoint answered 410, or whose callback is removed. */
export async function sweepPut(
  unit: UnitOfWork,
  { tenantId, applicationId }: Application,
): Promise<Put> {
  const [found] = await unit.read([get(workItems, [kind, applicationId])])
  const item = {
    kind,
    ref: applicationId,
    tenantId,
    applicationId,
    due: unit.now,
    state: firstUnfinished,
  }
  return schedule(item, one(workItems, found))
}

/**
 * Makes every open callback of an application due at once, in bounded pieces. The dispatcher then gives each up without
 * a POST and its case shows it, instead of hours later at the next retry.
 */
export const callbackSweep = handler<UnfinishedCursor>({
  kind,
  async run(unit, { ref, state: cursor }) {
    const { rows, next } = await unfinishedPiece(unit, ref, cursor)
    for (const was of rows)
      if (waits(was, unit.now)) unit.put(deliveries, { ...was.row, due: unit.now }, was)
    return next && { state: next, next: unit.now }
  },
})

/** Neither in flight nor due already. */
function waits({ row, leasedBy }: Versioned<Delivery>, now: number): boolean {
  return leasedBy === null && row.due !== null && row.due > now
}
