import { applications } from '../../applications/records.ts'
import type { Collection, Key, Where } from '../../base/ports/store.ts'
import { keyIn, pageAfter } from '../../kernel/ledger/pages.ts'
import { everyRow, list, many } from '../../kernel/ledger/reads.ts'
import { handler, type Next, type WorkHandler, type WorkUnit } from '../../kernel/work/handler.ts'
import { workItems } from '../../kernel/work/records.ts'
import { type Tenant, tenants } from '../../organizations/access/records.ts'
import { deliveries } from '../../outbox/records.ts'
import { notificationChannels } from '../../webhooks/channels/records.ts'
import { webhooks } from '../../webhooks/records.ts'
import type { PurgeDeps } from './deps.ts'
import { remainsKind } from './remains.ts'
import { tenantDeletionKind } from './tenant-deletion.ts'

/** From one check of unfinished purges and deliveries to the next. */
const everyMs = 10 * 60 * 1_000
/** Rows that one commit removes. */
const piece = 100
/** Rows that one run looks at where no index finds those of a tenant. */
const page = 500
/** Blobs that one run removes. */
const blobsAtOnce = 200
/** Work that goes on behind the deletion, and ends itself. */
const lastKinds: readonly unknown[] = [tenantDeletionKind, remainsKind]

/** A collection with rows of tenants, and the index that finds them; null: each row is looked at. */
interface TenantRows {
  readonly collection: Collection
  readonly by: string | null
}

/** The collections whose rows go with their organization: those of tenants that are not declared to outlive them. */
export function rowsOfTenants(collections: readonly Collection[]): readonly TenantRows[] {
  return collections
    .filter(({ tenant, outlives }) => tenant !== 'system' && outlives === undefined)
    .map((collection) => {
      const { key, indexes, tenant } = collection
      const found = Object.entries({ key, ...indexes }).find(([, [first]]) => first === tenant)
      return { collection, by: found?.[0] ?? null }
    })
}

/** The place in the scan of rows that no index finds; kept in the work item. */
interface Look {
  readonly collection: string
  readonly after: Key
}

/**
 * Ends a tenant's deletion: waits until its applications are purged and their last events are settled, then removes
 * webhooks, members and all else, and leaves a tombstone. That it begins to remove is recorded first: from then on the
 * deletion can't be cancelled (interface, Deletion of an organization).
 */
export function createTenantEnd(
  deps: Pick<PurgeDeps, 'blobs' | 'scrub'>,
  rows: readonly TenantRows[],
): WorkHandler {
  return handler<Look | null>({
    kind: tenantDeletionKind,
    async run(unit, { tenantId, state: look }) {
      const { was, owned } = await unit.ask({
        was: tenants.get(tenantId),
        owned: applications.by('key', { tenantId }),
      })
      if (!was || !(was.row.deletion || was.row.deletedAt)) return null
      if (was.row.deletedAt) {
        // The tombstone is written: what it replaced is made unreadable.
        await deps.scrub()
        return null
      }
      const isPurged = owned.rows.every(({ row }) => row.lifecycleState === 'purged')
      if (!isPurged || (await owesDeliveries(unit, tenantId))) return unit.now + everyMs
      const { deletion } = was.row
      if (deletion && deletion.begunAt === undefined) {
        // In a commit of its own: of a deletion that is cancelled nothing has gone.
        const begun = { ...deletion, begunAt: unit.now }
        unit.put(tenants, { ...was.row, deletion: begun, updatedAt: unit.now }, was)
        return unit.now
      }
      const blobs = await deps.blobs.list({
        prefix: `tenants/${tenantId}/`,
        after: null,
        take: blobsAtOnce,
      })
      if (blobs.length > 0) {
        await deps.blobs.remove(blobs.map(({ path }) => path))
        return unit.now
      }
      const left =
        (await removeFound(unit, rows, tenantId)) ??
        (await removeSought(unit, rows, tenantId, look))
      if (left !== null) return left
      unit.put(tenants, tombstone(tenantId, unit.now), was)
      unit.audit('tenant.deleted', tenantId, {})
      return unit.now
    },
  })
}

/** Whether a webhook or a chat of the tenant is still owed something. */
async function owesDeliveries(unit: WorkUnit, tenantId: string): Promise<boolean> {
  const where: Where = [['tenantId', '=', tenantId]]
  const [hooks, chats] = await unit.read([
    list(webhooks, { by: 'byTenant', where, take: everyRow }),
    list(notificationChannels, { where, take: everyRow }),
  ])
  const endpointIds = [
    ...many(webhooks, hooks).map(({ row }) => row.webhookId),
    ...many(notificationChannels, chats).map(({ row }) => row.channelId),
  ]
  const owed = await unit.read(
    endpointIds.flatMap((endpointId) =>
      (['pending', 'retry_scheduled'] as const).map((status) =>
        list(deliveries, {
          by: 'byStatus',
          where: [
            ['endpointId', '=', endpointId],
            ['status', '=', status],
          ],
          take: 1,
        }),
      ),
    ),
  )
  return owed.some(({ rows }) => rows.length > 0)
}

/** A piece of the rows that an index finds; null when none is left. */
async function removeFound(
  unit: WorkUnit,
  rows: readonly TenantRows[],
  tenantId: string,
): Promise<number | null> {
  for (const { collection, by } of rows) {
    if (by === null) continue
    const where: Where = [[collection.tenant, '=', tenantId]]
    const [found] = await unit.read([list(collection, { by, where, take: piece })])
    const own = many(collection, found)
    for (const was of own) unit.remove(collection, was)
    if (own.length > 0) return unit.now
  }
  return null
}

/** The rows of the tenant in a page of those that no index finds; null behind the last page. */
async function removeSought(
  unit: WorkUnit,
  rows: readonly TenantRows[],
  tenantId: string,
  look: Look | null,
): Promise<Next<Look>> {
  const sought = rows.flatMap(({ collection, by }) => (by === null ? collection : []))
  const from = sought.findIndex(({ name }) => name === look?.collection)
  for (const collection of sought.slice(Math.max(0, from))) {
    const after = look?.collection === collection.name ? look.after : null
    const found = await pageAfter(unit, collection, { where: [], after, take: page })
    const own = found.filter(
      ({ row }) => row[collection.tenant] === tenantId && !goesOn(collection, row),
    )
    const last = found.at(-1)
    if (own.length === 0 && (!last || found.length < page)) continue
    for (const was of own) unit.remove(collection, was)
    if (!last) return unit.now
    const state = { collection: collection.name, after: keyIn(collection, last.row) }
    return { next: unit.now, state }
  }
  return null
}

function goesOn({ name }: Collection, row: Record<string, unknown>): boolean {
  return name === workItems.name && lastKinds.includes(row.kind)
}

/** What stays of an organization's record. */
function tombstone(tenantId: string, now: number): Tenant {
  return {
    tenantId,
    name: '',
    contactEmail: '',
    status: 'suspended',
    deletedAt: now,
    createdAt: 0,
    updatedAt: now,
  }
}
