import type { Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { previousAt } from '../../kernel/sealing/shared-secret.ts'
import type { WorkHandler, WorkStep } from '../../kernel/work/handler.ts'
import { schedule, type WorkItem, workItems } from '../../kernel/work/records.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { admitsFor } from '../machine/admits.ts'
import { type Webhook, webhooks } from '../records.ts'

const kind = 'webhookUpkeep'
/** Deliveries ended in one commit. */
const piece = 200
const unfinished = ['pending', 'retry_scheduled'] as const

/** Progress of marking ended deliveries; null when none are left. */
type Cursor = { readonly status: (typeof unfinished)[number]; readonly after: string } | null
const start: Cursor = { status: 'pending', after: '' }

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
  const state = ends ? start : (was?.row.state ?? null)
  return schedule({ kind, ref, tenantId, applicationId: null, due, state }, was)
}

/**
 * Marks deliveries that the webhook no longer admits as `dead_lettered`, in bounded pieces, and wipes an expired
 * previous secret. Readers and the dispatcher derive both without it (core/docs/decisions.md 4).
 */
export const webhookUpkeep: WorkHandler = {
  kind,
  async run(item: WorkItem, unit: UnitOfWork): Promise<WorkStep> {
    const [found] = await unit.read([get(webhooks, [item.ref])])
    const webhook = one(webhooks, found)
    const wipe = webhook && wiped(webhook, unit.now)
    const { puts, cursor } = await endPiece(unit, item, webhook?.row ?? null)
    const previous = wipe ? null : webhook?.row.previousSecret
    return {
      set: { puts: [...puts, ...(wipe ? [wipe] : [])] },
      state: cursor,
      next: cursor ? unit.now : (previous?.validUntil ?? null),
    }
  },
}

function wiped(webhook: Versioned<Webhook>, now: number): Put | null {
  if (webhook.row.previousSecret === null || previousAt(webhook.row, now)) return null
  return put(webhooks, { ...webhook.row, previousSecret: null }, webhook)
}

async function endPiece(
  unit: UnitOfWork,
  item: WorkItem,
  webhook: Webhook | null,
): Promise<{ readonly puts: readonly Put[]; readonly cursor: Cursor }> {
  const cursor = item.state as Cursor
  if (cursor === null) return { puts: [], cursor }
  const [found] = await unit.read([
    list(deliveries, {
      where: [
        ['endpointId', '=', item.ref],
        ['status', '=', cursor.status],
        ['messageId', '>', cursor.after],
      ],
      by: 'byStatus',
      take: piece,
    }),
  ])
  const rows = many(deliveries, found)
  const admits = webhook ? admitsFor(webhook) : () => false
  const puts = rows
    .filter((delivery) => !admits(delivery.row) && !isLeased(delivery, unit.now))
    .map((delivery) => put(deliveries, ended(delivery.row, unit.now), delivery))
  const last = rows.at(-1)
  if (last && rows.length === piece)
    return { puts, cursor: { ...cursor, after: last.row.messageId } }
  const next = unfinished[unfinished.indexOf(cursor.status) + 1]
  return { puts, cursor: next ? { status: next, after: '' } : null }
}

/** In flight: its answer settles it. */
function isLeased({ row, leasedBy }: Versioned<Delivery>, now: number): boolean {
  return leasedBy !== null && row.due !== null && row.due > now
}

function ended(delivery: Delivery, endedAt: number): Delivery {
  return { ...delivery, status: 'dead_lettered', due: null, endedAt }
}
