import type { Collection, Store, Value, Versioned } from './base/ports/store.ts'
import { audit } from './kernel/ledger/audit.ts'
import { isoTime } from './kernel/ledger/iso-time.ts'
import { list, many } from './kernel/ledger/reads.ts'
import { type Tenant, tenants } from './organizations/access/records.ts'
import { collections } from './rooms.ts'

/**
 * Max steps of a case per ms. Each step is a commit that waits for the one before it, so one per ms is far above the
 * real rate.
 */
const stepsPerMs = 1
/** Clocks and high-water marks may be off by so much. */
const marginMs = 60_000

/** What `restore` changed. */
export interface Restored {
  /** What was added to each counter. */
  readonly raisedBy: number
  /** Rows written, by collection. */
  readonly rows: Readonly<Record<string, number>>
  readonly tenants: number
}

/**
 * Prepares a store that was put back to an earlier state, before anything runs on it: the counters that its collections
 * declare (`restore.raise`) go past every value that may have been told since, so that no receiver takes what comes next
 * for history and no session that ended holds again; each tenant's audit log records it.
 *
 * `keptUntil` and `now` are ms: all that was committed up to the first is in the store, nothing was told after the
 * second. May be repeated after a kill.
 *
 * @example
 * ```ts
 * import { recordRestore } from '@countersign/core'
 *
 * const takenAt = Date.parse('2026-01-31T02:00:00Z') // of the backup
 * const { raisedBy } = await recordRestore(ports.store, { keptUntil: takenAt, now: Date.now() })
 * console.log(`counters are ${raisedBy} higher`)
 * ```
 */
export async function recordRestore(
  store: Store,
  { keptUntil, now }: { readonly keptUntil: number; readonly now: number },
): Promise<Restored> {
  const raisedBy = (Math.max(0, now - keptUntil) + marginMs) * stepsPerMs
  const rows: Record<string, number> = {}
  for (const collection of collections as unknown as readonly Collection[]) {
    const { restore } = collection
    if (restore) rows[collection.name] = await raiseAll(store, collection, restore, raisedBy)
  }
  let told = 0
  for await (const page of pagesOf(store, tenants as unknown as Collection))
    for (const { row } of page) {
      await recordInAudit(store, row as unknown as Tenant, { keptUntil, now, raisedBy })
      told++
    }
  return { raisedBy, rows, tenants: told }
}

async function raiseAll(
  store: Store,
  collection: Collection,
  restore: NonNullable<Collection['restore']>,
  by: number,
): Promise<number> {
  let written = 0
  for await (const page of pagesOf(store, collection)) {
    const puts = page.map((was) => ({
      in: collection.name,
      row: raised(was.row as Record<string, unknown>, restore, by),
      was,
    }))
    const outcome = await store.commit({ tenant: null, puts })
    if (!outcome.committed)
      throw new Error(
        `${collection.name} changed while versions were raised: expected nothing else to run on the store`,
      )
    written += puts.length
  }
  return written
}

function raised(
  row: Readonly<Record<string, unknown>>,
  { raise, while: counting = {} }: NonNullable<Collection['restore']>,
  by: number,
): Record<string, unknown> {
  const members = raise.filter((name) => {
    const [column, value] = counting[name] ?? []
    return column === undefined || row[column] === value
  })
  return {
    ...row,
    ...Object.fromEntries(members.map((name) => [name, Number(row[name] ?? 0) + by])),
  }
}

/** A case may hold a presentation of a mebibyte. */
const pageSize = 50

/** All rows in key order. A list can not begin behind a compound key, so it begins at the key's first column. */
async function* pagesOf(
  store: Store,
  collection: Collection,
): AsyncGenerator<readonly Versioned[]> {
  const [first] = collection.key
  const lead = (row: Versioned) => (row.row as Record<string, Value>)[first ?? ''] ?? null
  let from: Value = null
  let skip = 0
  for (;;) {
    const where = from === null || first === undefined ? [] : ([[first, '>=', from]] as const)
    const [found] = await store.read(null, [list(collection, { where, skip, take: pageSize })])
    const page = many(collection, found)
    const last = page.at(-1)
    if (!last) return
    yield page
    const reached = lead(last)
    const same = page.filter((row) => lead(row) === reached).length
    skip = reached === from ? skip + same : same
    from = reached
  }
}

async function recordInAudit(
  store: Store,
  { tenantId }: Tenant,
  { keptUntil, now, raisedBy }: { keptUntil: number; now: number; raisedBy: number },
): Promise<void> {
  const entry = audit(tenantId, {
    at: isoTime(now),
    actor: 'system',
    action: 'store.restored',
    subject: tenantId,
    detail: { keptUntil: keptUntil > 0 ? isoTime(keptUntil) : null, raisedBy },
  })
  await store.commit({ tenant: null, appends: [entry] })
}
