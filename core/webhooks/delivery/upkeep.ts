import type { Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { previousAt } from '../../kernel/sealing/shared-secret.ts'
import { handler, type WorkUnit } from '../../kernel/work/handler.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { firstUnfinished, type UnfinishedCursor, unfinishedPiece } from '../../outbox/unfinished.ts'
import { admitsFor } from '../machine/admits.ts'
import { type Webhook, webhooks } from '../records.ts'

const kind = 'webhookUpkeep'
/** Progress of marking ended deliveries; null when none are left. */
type Cursor = UnfinishedCursor | null

/**
 * Schedules the webhook's upkeep item when a change ends deliveries or rotates the secret; null otherwise. `after`
 * null: it is removed.
 */
export async function upkeepPut(
  unit: UnitOfWork,
  before: Webhook,
  after: Webhook | null,
): Promise<Put | null> {
  const ends = after === null || after.generation !== before.generation
  const wipeAt = after?.previousSecret?.validUntil ?? null
  const rotates = wipeAt !== null && wipeAt !== before.previousSecret?.validUntil
  if (!ends && !rotates) return null
  const { webhookId: ref, tenantId } = before
  const [found] = await unit.read([get(workItems, [kind, ref])])
  const was = one(workItems, found)
  const due = ends ? unit.now : Math.min(wipeAt ?? unit.now, was?.row.due ?? wipeAt ?? 0)
  const state = ends ? firstUnfinished : (was?.row.state ?? null)
  return schedule({ kind, ref, tenantId, applicationId: null, due, state }, was)
}

/**
 * Marks deliveries that the webhook no longer admits as `dead_lettered`, in bounded pieces, and wipes an expired
 * previous secret. Readers and the dispatcher derive both without it (core/docs/decisions.md 4).
 */
export const webhookUpkeep = handler<Cursor>({
  kind,
  async run(unit, { ref, state }) {
    const { webhook } = await unit.ask({ webhook: webhooks.get(ref) })
    const previous = webhook && previousAt(webhook.row, unit.now)
    if (webhook && webhook.row.previousSecret !== null && !previous)
      unit.put(webhooks, { ...webhook.row, previousSecret: null }, webhook)
    const cursor = state && (await endPiece(unit, ref, state, webhook?.row ?? null))
    return { state: cursor, next: cursor ? unit.now : (previous?.validUntil ?? null) }
  },
})

/** Ends a piece of the deliveries that the webhook no longer admits; answers where the next begins. */
async function endPiece(
  unit: WorkUnit,
  webhookId: string,
  cursor: UnfinishedCursor,
  webhook: Webhook | null,
): Promise<Cursor> {
  const { rows, next } = await unfinishedPiece(unit, webhookId, cursor)
  const admits = webhook ? admitsFor(webhook) : () => false
  for (const was of rows)
    if (!admits(was.row) && !isLeased(was, unit.now))
      unit.put(deliveries, ended(was.row, unit.now), was)
  return next
}

/** In flight: its answer settles it. */
function isLeased({ row, leasedBy }: Versioned<Delivery>, now: number): boolean {
  return leasedBy !== null && row.due !== null && row.due > now
}

function ended(delivery: Delivery, endedAt: number): Delivery {
  return { ...delivery, status: 'dead_lettered', due: null, endedAt }
}
