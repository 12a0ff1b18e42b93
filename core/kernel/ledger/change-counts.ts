import type { Collection, Found, Put, Read, Store, Value } from '../../base/ports/store.ts'

/** Rows that readers see together: each commit that changes some of them is counted, for their organization. */
export interface Counted {
  readonly name: string
  readonly rows: readonly CountedRows[]
}

/** The rows of a collection, of which each removal counts, and each put that changes what readers see. */
interface CountedRows {
  readonly in: Pick<Collection, 'name' | 'tenant'>
  readonly changes: (put: Put) => boolean
}

/** `changes`: whether a put changes what readers see, from the row that it replaces; absent: each does. */
export function countedRows<R extends object>(
  collection: Collection<R>,
  changes: (row: R, was: R | null) => boolean = () => true,
): CountedRows {
  const { name, tenant } = collection as unknown as Collection
  return {
    in: { name, tenant },
    changes: ({ row, was }) => changes(row as R, (was?.row as R | undefined) ?? null),
  }
}

/** Of an organization; null: of changes whose organization their set does not name. */
function counterOf({ name }: Pick<Counted, 'name'>, tenantId: string | null): string {
  return tenantId === null ? `changes ${name}` : `changes ${name} ${tenantId}`
}

/** The reads whose answers `changesIn` takes. They come before those of the answer, or in one read with them. */
export function changeReads(counted: Pick<Counted, 'name'>, tenantId: string): readonly Read[] {
  return [{ counter: counterOf(counted, tenantId) }, { counter: counterOf(counted, null) }]
}

/** How often what readers see has changed; another text after each change. */
export function changesIn(found: readonly Found[]): string {
  return found.map(({ total }) => total ?? 0).join()
}

/** The store that counts changes, in the commits that make them: whoever makes them, and in whichever process. */
export function withChangeCounts(store: Store, all: readonly Counted[]): Store {
  return {
    commit(set) {
      const { tenant, puts = [], removes = [], ranges = [], adds = [] } = set
      const counters = new Set<string>()
      for (const counted of all)
        for (const { in: collection, changes } of counted.rows) {
          const isOf = (each: { readonly in: string }) => each.in === collection.name
          if (removes.some(isOf) || ranges.some(isOf)) counters.add(counterOf(counted, tenant))
          for (const put of puts)
            if (isOf(put) && changes(put))
              counters.add(counterOf(counted, ownerOf(put, collection)))
        }
      if (counters.size === 0) return store.commit(set)
      const counts = Array.from(counters, (counter) => ({ counter, delta: 1 }))
      return store.commit({ ...set, adds: [...adds, ...counts] })
    },
    read: (tenant, reads) => store.read(tenant, reads),
    lanes: (query) => store.lanes(query),
    nextDue: (query) => store.nextDue(query),
    claim: (query) => store.claim(query),
    scrub: () => store.scrub(),
    close: () => store.close(),
  }
}

function ownerOf({ row }: Put, { tenant }: CountedRows['in']): string | null {
  return ((row as Readonly<Record<string, Value>>)[tenant] ?? null) as string | null
}
