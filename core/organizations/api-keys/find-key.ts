import type { Collection, Key, Versioned } from '../../base/ports/store.ts'
import { keyOf } from '../../base/store-kit/key-of.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { get, list, one } from '../../kernel/ledger/reads.ts'
import { type Tenant, tenants } from '../access/records.ts'

/** Hashes whose row is remembered. */
const mostKnown = 10_000

interface HashedKey {
  readonly tenantId: string
  readonly hash: string
  readonly revokedAt: number | null
}

/** A key that is not revoked, and its organization. */
export interface FoundKey<Row> {
  readonly key: Versioned<Row>
  readonly tenant: Tenant | undefined
}

/**
 * Finds keys by their hash, in the store at each request, so that a revoked key fails from the next one on. Only where
 * the row of a hash lies, which never changes, is cached: all but a key's first request cost one read.
 */
export function createFindKey<Row extends HashedKey>(
  ledger: Ledger,
  keys: Collection<Row>,
): (hash: string) => Promise<FoundKey<Row> | null> {
  const known = new Map<string, Key>()

  async function rowOf(hash: string): Promise<Key | null> {
    const [found] = await ledger.read(null, [list(keys, { where: [['hash', '=', hash]], take: 1 })])
    const key = one(keys, found)?.row
    if (!key || key.revokedAt !== null) return null
    const [oldest] = known.size < mostKnown ? [] : known.keys()
    if (oldest !== undefined) known.delete(oldest)
    const at = keyOf(keys as unknown as Collection, key)
    known.set(hash, at)
    return at
  }

  return async (hash) => {
    const at = known.get(hash) ?? (await rowOf(hash))
    if (!at) return null
    const tenantId = String(at[0])
    const [foundKey, foundTenant] = await ledger.read(tenantId, [
      get(keys, at),
      get(tenants, [tenantId]),
    ])
    const key = one(keys, foundKey)
    if (key?.row.hash === hash && key.row.revokedAt === null)
      return { key, tenant: one(tenants, foundTenant)?.row }
    known.delete(hash)
    return null
  }
}
