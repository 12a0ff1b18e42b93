import { type Tenant, tenants } from '../access/records.ts'
import { applications } from '../applications/records.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one, put } from '../ledger/reads.ts'
import { deliveries } from '../outbox/records.ts'
import type { Collection, Versioned, Where } from '../ports/store.ts'
import { keyIn } from '../sealing/pages.ts'
import { webhooks } from '../webhooks/records.ts'
import type { WorkHandler, WorkStep } from '../work/handler.ts'
import type { PurgeDeps } from './deps.ts'
import { tenantDeletionKind } from './tenant-deletion.ts'

/** From one look at what is still under way to the next. */
const everyMs = 10 * 60 * 1_000
/** Rows that one commit removes. */
const piece = 100
/** Blobs that one run removes. */
const blobsAtOnce = 200
const mostWebhooks = 1_000
const mostApplications = 10_000

/** What stays of an organization: its tombstone and its applications', anchors, and the keys that verify evidence. */
const staying: readonly string[] = ['tenants', 'applications', 'anchors', 'evidenceKeyRings']

/** A collection with rows of tenants, and the index that finds them. */
interface TenantRows {
  readonly collection: Collection
  readonly by: string
}

/**
 * The collections whose rows go with their organization: those that an index finds by it, but for what stays. What the
 * outbox holds goes by its own retention.
 */
export function rowsOfTenants(collections: readonly Collection[]): readonly TenantRows[] {
  return collections.flatMap((collection) => {
    const { name, key, indexes, tenant } = collection
    if (staying.includes(name) || tenant === 'system') return []
    const found = Object.entries({ key, ...indexes }).find(([, [first]]) => first === tenant)
    return found ? [{ collection, by: found[0] }] : []
  })
}

/**
 * Ends a tenant's deletion: waits until its applications are purged and their last events are settled, then removes
 * webhooks, members and all else, and leaves a tombstone.
 */
export function createTenantEnd(
  deps: Pick<PurgeDeps, 'blobs' | 'scrub'>,
  rows: readonly TenantRows[],
): WorkHandler {
  return {
    kind: tenantDeletionKind,
    async run({ ref: tenantId }, unit) {
      const [found, owned] = await unit.read([
        get(tenants, [tenantId]),
        list(applications, { where: [['tenantId', '=', tenantId]], take: mostApplications }),
      ])
      const was = one(tenants, found)
      if (!was || !(was.row.deletion || was.row.deletedAt)) return { next: null }
      if (was.row.deletedAt) {
        // The tombstone is written: what it replaced is made unreadable.
        await deps.scrub()
        return { next: null }
      }
      const isPurged = many(applications, owned).every(({ row }) => row.lifecycleState === 'purged')
      if (!isPurged || (await owesDeliveries(unit, tenantId))) return { next: unit.now + everyMs }
      const blobs = await deps.blobs.list({
        prefix: `tenants/${tenantId}/`,
        after: null,
        take: blobsAtOnce,
      })
      if (blobs.length > 0) {
        await deps.blobs.remove(blobs.map(({ path }) => path))
        return { next: unit.now }
      }
      return (await removeRows(unit, rows, tenantId)) ?? end(unit, was)
    },
  }
}

/** Whether a webhook of the tenant is still owed something. */
async function owesDeliveries(unit: UnitOfWork, tenantId: string): Promise<boolean> {
  const [found] = await unit.read([
    list(webhooks, { by: 'byTenant', where: [['tenantId', '=', tenantId]], take: mostWebhooks }),
  ])
  const owed = await unit.read(
    many(webhooks, found).flatMap(({ row: { webhookId } }) =>
      (['pending', 'retry_scheduled'] as const).map((status) =>
        list(deliveries, {
          by: 'byStatus',
          where: [
            ['endpointId', '=', webhookId],
            ['status', '=', status],
          ],
          take: 1,
        }),
      ),
    ),
  )
  return owed.some(({ rows }) => rows.length > 0)
}

async function removeRows(
  unit: UnitOfWork,
  rows: readonly TenantRows[],
  tenantId: string,
): Promise<WorkStep | null> {
  for (const { collection, by } of rows) {
    const where: Where = [[collection.tenant, '=', tenantId]]
    const [found] = await unit.read([list(collection, { by, where, take: piece })])
    const removes = many(collection, found).map(({ row, version }) => ({
      in: collection.name,
      key: keyIn(collection, row),
      version,
    }))
    if (removes.length > 0) return { set: { removes }, next: unit.now }
  }
  return null
}

/** The organization's record becomes its tombstone. */
function end(unit: UnitOfWork, was: Versioned<Tenant>): WorkStep {
  const { tenantId } = was.row
  const row: Tenant = {
    tenantId,
    name: '',
    status: 'suspended',
    deletedAt: unit.now,
    createdAt: 0,
    updatedAt: unit.now,
  }
  return {
    set: {
      puts: [put(tenants, row, was)],
      appends: [
        audit(tenantId, {
          at: isoTime(unit.now),
          actor: 'system',
          action: 'tenant.deleted',
          subject: tenantId,
          detail: {},
        }),
      ],
    },
    next: unit.now,
  }
}
