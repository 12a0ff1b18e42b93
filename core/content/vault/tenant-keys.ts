import type { Sealer } from '../../base/ports/secrets.ts'
import type { Read, Versioned } from '../../base/ports/store.ts'
import { answer, commit, type Ledger, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { tenants } from '../../organizations/access/records.ts'
import { changeableTenant } from '../../organizations/access/standing.ts'
import {
  pseudonymKeyContext,
  type TenantKey,
  type TenantKeys,
  tenantKeyContext,
  tenantKeys,
} from './records.ts'

/** A tenant's keys in clear text. */
export interface OpenKeys {
  readonly was: Versioned<TenantKeys>
  readonly pseudonymKey: Uint8Array
  readonly current: number
  /** By version. */
  readonly keys: ReadonlyMap<number, Uint8Array>
}

/** Opens, makes and caches the keys of tenants. */
export interface TenantKeyRing {
  /** The tenant's keys; makes them at first use, and for one that is deleted, or being so, without storing them. */
  load(tenantId: string): Promise<OpenKeys>
  /** Opens the row that a unit of work read; what the cache has of the same version is not opened again. */
  open(row: Versioned<TenantKeys>): OpenKeys
  /** A new version of the tenant's key, for the commit that begins to use it. */
  next(unit: UnitOfWork, tenantId: string, version: number): TenantKey
}

/** The read of a tenant's keys, for a unit of work. */
export function tenantKeysOf(tenantId: string): Read {
  return get(tenantKeys, [tenantId])
}

const keyBytes = 32
/** Tenants whose opened keys are kept. */
const cacheSize = 1_000

export function createTenantKeyRing(deps: {
  readonly ledger: Ledger
  readonly sealer: Sealer
}): TenantKeyRing {
  const { ledger, sealer } = deps
  const cache = new Map<string, OpenKeys>()

  function next(unit: UnitOfWork, tenantId: string, version: number): TenantKey {
    const sealed = sealer.seal(unit.random.bytes(keyBytes), tenantKeyContext(tenantId, version))
    return { version, sealed, createdAt: unit.now }
  }

  function open(was: Versioned<TenantKeys>): OpenKeys {
    const { tenantId } = was.row
    const known = cache.get(tenantId)
    if (known?.was.version === was.version) return known
    const keys = opened(was)
    cache.delete(tenantId)
    cache.set(tenantId, keys)
    const [oldest] = cache.keys()
    if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest)
    return keys
  }

  function opened(was: Versioned<TenantKeys>): OpenKeys {
    const { tenantId, keys, pseudonymKey } = was.row
    const current = keys.at(-1)
    if (!current) throw new Error(`the tenant ${tenantId} has no encryption key`)
    return {
      was,
      pseudonymKey: sealer.open(pseudonymKey, pseudonymKeyContext(tenantId)),
      current: current.version,
      keys: new Map(
        keys.map(({ version, sealed }) => [
          version,
          sealer.open(sealed, tenantKeyContext(tenantId, version)),
        ]),
      ),
    }
  }

  async function load(tenantId: string): Promise<OpenKeys> {
    // If the organization ends in between, its keys are made again, for this call alone.
    for (;;) {
      const made = await ledger.execute<TenantKeys | null>(tenantId, async (unit) => {
        const [found, owner] = await unit.read([tenantKeysOf(tenantId), get(tenants, [tenantId])])
        if (one(tenantKeys, found)) return answer(null)
        const row: TenantKeys = {
          tenantId,
          pseudonymKey: sealer.seal(unit.random.bytes(keyBytes), pseudonymKeyContext(tenantId)),
          keys: [next(unit, tenantId, 1)],
        }
        const tenant = one(tenants, owner)
        // No row may be written of an organization whose rows are being removed.
        if (tenant && !changeableTenant(owner)) return answer(row)
        const key = [tenantId] as const
        const unchanged = { in: tenants.name, key, version: tenant?.version ?? 0 }
        return commit({ checks: [unchanged], puts: [put(tenantKeys, row, null)] }, null)
      })
      if (!made.ok) throw new Error(`no encryption key of ${tenantId}: ${made.refusal.detail}`)
      if (made.value) return opened({ row: made.value, version: 0, leasedBy: null })
      const [found] = await ledger.read(tenantId, [tenantKeysOf(tenantId)])
      const row = one(tenantKeys, found)
      if (row) return open(row)
    }
  }

  return { load, open, next }
}
