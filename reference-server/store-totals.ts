import {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  type Webhook,
  webhooks,
} from '@countersign/core/internal'
import { auditLog, list, many, one } from '@countersign/core/ledger'
import type { ChangeSet, Put, Store } from '@countersign/core/ports'
import { createBacklog } from './backlog.ts'

/** Why a delivery was given up: a 410, its last attempt failed, or it was ended without a POST (turned off, removed). */
export type DeadLetterCause = 'endpoint_gone' | 'retries_exhausted' | 'ended_unsent'

/** Totals of what the store holds, kept up by looking at what is committed, so that reading them costs nothing. */
export interface StoreTotals {
  readonly pending: { readonly depth: number; readonly oldest: number | null }
  /** Those whose endpoint failed and that wait for their next attempt. */
  readonly retrying: { readonly depth: number; readonly oldest: number | null }
  readonly webhooksOff: number
  /** Counts what the store holds already; before anything else is committed. */
  fill(store: Store): Promise<void>
  committed(set: ChangeSet): void
}

export interface TotalsEvents {
  deadLetter(delivery: Delivery, cause: DeadLetterCause): void
  turnedOff(webhook: Webhook): void
  audited(tenantId: string): void
}

const pageSize = 256
const everyTime = Number.MAX_SAFE_INTEGER
const unfinished = ['pending', 'retry_scheduled'] as const

export function createStoreTotals(on: TotalsEvents): StoreTotals {
  const backlog = { pending: createBacklog(), retry_scheduled: createBacklog() }
  const off = new Set<string>()

  function backlogOf(delivery: Delivery | null) {
    if (delivery?.status === 'pending' || delivery?.status === 'retry_scheduled')
      return backlog[delivery.status]
    return null
  }

  function delivery(put: Put, set: ChangeSet): void {
    const before = (put.was?.row as Delivery | undefined) ?? null
    const after = put.row as Delivery
    if (before?.status === after.status) return
    if (before) backlogOf(before)?.remove(before.createdAt)
    backlogOf(after)?.add(after.createdAt)
    if (after.status === 'dead_lettered') on.deadLetter(after, causeOf(after, set))
  }

  function webhook(put: Put): void {
    const before = (put.was?.row as Webhook | undefined) ?? null
    const after = put.row as Webhook
    if (after.status === 'receiving') off.delete(after.webhookId)
    else {
      off.add(after.webhookId)
      if (before?.status === 'receiving') on.turnedOff(after)
    }
  }

  async function fillLane(store: Store, endpointId: string): Promise<void> {
    const found = await store.read(
      null,
      unfinished.map((status) =>
        list(deliveries, {
          where: [
            ['endpointId', '=', endpointId],
            ['status', '=', status],
          ],
          by: 'byStatus',
          take: 1,
          count: true,
        }),
      ),
    )
    for (const [at, status] of unfinished.entries()) {
      const oldest = one(deliveries, found[at])
      // The oldest stands for all: the order of ids is that of time.
      if (oldest) backlog[status].add(oldest.row.createdAt, found[at]?.total ?? 1)
    }
  }

  async function fillDeliveries(store: Store): Promise<void> {
    for (let after = ''; ; ) {
      const query = { in: deliveries.name, now: everyTime, after, take: pageSize }
      const lanes = await store.lanes(query)
      for (const { lane } of lanes) await fillLane(store, lane)
      const last = lanes.at(-1)
      if (!last || lanes.length < pageSize) return
      after = last.lane
    }
  }

  async function fillWebhooks(store: Store): Promise<void> {
    for (let after = ''; ; ) {
      const where = [['webhookId', '>', after] as const]
      const [found] = await store.read(null, [list(webhooks, { where, by: 'key', take: pageSize })])
      const page = many(webhooks, found)
      for (const { row } of page) if (row.status === 'turned_off') off.add(row.webhookId)
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = last.row.webhookId
    }
  }

  return {
    pending: backlog.pending,
    retrying: backlog.retry_scheduled,
    get webhooksOff() {
      return off.size
    },
    async fill(store) {
      await fillDeliveries(store)
      await fillWebhooks(store)
    },
    committed(set) {
      for (const put of set.puts ?? [])
        if (put.in === deliveries.name) delivery(put, set)
        else if (put.in === webhooks.name) webhook(put)
      for (const { in: name, key } of set.removes ?? [])
        if (name === webhooks.name) off.delete(String(key[0]))
      for (const { log, partition } of set.appends ?? [])
        if (log === auditLog.name) on.audited(partition)
    },
  }
}

/** One whose process died is logged beside whatever ends the delivery. */
function isSent({ deliveryId, error }: AttemptRecord, of: string): boolean {
  return deliveryId === of && error !== 'interrupted'
}

/** An attempt that is committed beside it says how the last one ended. */
function causeOf({ deliveryId }: Delivery, set: ChangeSet): DeadLetterCause {
  const attempt = (set.puts ?? []).find(
    ({ in: name, row }) => name === attempts.name && isSent(row as AttemptRecord, deliveryId),
  )
  if (!attempt) return 'ended_unsent'
  const { responseStatus } = attempt.row as AttemptRecord
  return responseStatus === 410 ? 'endpoint_gone' : 'retries_exhausted'
}
