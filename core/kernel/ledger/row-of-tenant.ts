import type { Collection, Versioned } from '../../base/ports/store.ts'
import { answer, commit, type Ledger, type UnitOfWork } from './ledger.ts'
import { get, one, put } from './reads.ts'

/** A tenant's row of a collection that is keyed by tenants alone; made by `first` where there is none. */
export async function rowOfTenant<R extends object>(
  ledger: Ledger,
  collection: Collection<R>,
  tenantId: string,
  first: (unit: UnitOfWork) => R,
): Promise<Versioned<R>> {
  const read = get(collection, [tenantId])
  for (;;) {
    const [found] = await ledger.read(tenantId, [read])
    const row = one(collection, found)
    if (row) return row
    const made = await ledger.execute<null>(tenantId, async (unit) => {
      const [again] = await unit.read([read])
      if (one(collection, again)) return answer(null)
      return commit({ puts: [put(collection, first(unit), null)] }, null)
    })
    if (!made.ok)
      throw new Error(`no row of ${collection.name} for ${tenantId}: ${made.refusal.detail}`)
  }
}
