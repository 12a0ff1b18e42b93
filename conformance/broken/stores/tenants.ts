import type { Store, Value } from '@countersign/core/ports'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { committing } from './wrap.ts'

type Row = Readonly<Record<string, Value>>

const once = 'a unique value is held once in the whole service'
const absent = "another tenant's rows are absent from gets, lists and counts"
const zero = "another tenant's row is version 0 to a check, a put and a remove"
const noWay = "another tenant's key is no way to its row"
const refused = "a put of another tenant's row, or of the system's, is refused"

/** Reads of one kind that forget the tenant. */
const leaking =
  (kind: 'get' | 'list'): Change =>
  (store) => ({
    read: async (tenant, reads) => {
      const all = await store.read(null, reads)
      const own = await store.read(tenant, reads)
      return reads.map(
        (read, at) => (kind in read ? all[at] : own[at]) ?? { rows: [], total: null },
      )
    },
  })

const system =
  (store: Store): Store['commit'] =>
  (set) =>
    store.commit({ ...set, tenant: null })

export const tenantFaults: readonly BrokenStore[] = faults('tenants', [
  [
    'forgets the tenant when it reads',
    absent,
    (store) => ({ read: (_, reads) => store.read(null, reads) }),
  ],
  ['forgets the tenant of a get', absent, leaking('get')],
  ['forgets the tenant of a list', absent, leaking('list')],
  [
    'counts the rows of all tenants',
    absent,
    (store) => ({
      read: async (tenant, reads) => {
        const all = await store.read(null, reads)
        return (await store.read(tenant, reads)).map((found, at) => ({
          ...found,
          total: all[at]?.total ?? null,
        }))
      },
    }),
  ],
  [
    'pages over the rows of all tenants',
    'each index gives its order, nulls first, ties by key',
    (store) => ({
      read: async (tenant, reads) =>
        (await store.read(null, reads)).map((found) => ({
          ...found,
          rows: found.rows.filter(
            ({ row }) => tenant === null || ((row as Row).tenantId ?? tenant) === tenant,
          ),
        })),
    }),
  ],
  [
    'forgets the tenant when it commits',
    "a range takes none of another tenant's rows",
    committing((set) => ({ ...set, tenant: null })),
  ],
  [
    'forgets the tenant of checks',
    noWay,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit(set)
        if (outcome.committed || set.puts || set.removes) return outcome
        return system(store)(set)
      },
    }),
  ],
  [
    'forgets the tenant of removes',
    zero,
    (store) => ({ commit: (set) => (set.removes ? system(store)(set) : store.commit(set)) }),
  ],
  [
    'forgets the tenant of ranges',
    "a range takes none of another tenant's rows",
    (store) => ({ commit: (set) => (set.ranges ? system(store)(set) : store.commit(set)) }),
  ],
  [
    'takes rows of other tenants',
    refused,
    (store) => ({ commit: (set) => (set.puts ? system(store)(set) : store.commit(set)) }),
  ],
  [
    'tells the version of another tenant’s row',
    zero,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit(set)
        if (outcome.committed) return outcome
        const [first] = outcome.conflicts
        if (first.kind !== 'version') return outcome
        const [found] = await store.read(null, [{ get: first.in, key: first.key }])
        return {
          committed: false,
          conflicts: [{ ...first, now: found?.rows[0]?.version ?? 0 }],
        }
      },
    }),
  ],
  [
    'names another tenant’s row in a conflict',
    once,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit(set)
        if (outcome.committed || outcome.conflicts[0].kind !== 'unique') return outcome
        return system(store)(set)
      },
    }),
  ],
  [
    'reads logs of other tenants',
    refused,
    (store) => ({
      read: async (tenant, reads) =>
        store.read(reads.some((read) => 'log' in read) ? null : tenant, reads),
    }),
  ],
  [
    'lets tenants read the system’s rows',
    refused,
    (store) => ({
      read: async (tenant, reads) =>
        store.read(
          reads.some((read) => 'get' in read && read.get === 'settings') ? null : tenant,
          reads,
        ),
    }),
  ],
])

const untouched = 'a range removes piece by piece until none is left, and nothing else'
const cursor = 'a range begins behind its cursor, even where that row is gone'

const ranging = (
  change: (range: { readonly window: number; readonly where: readonly unknown[] }) => object,
): Change =>
  committing((set) => ({
    ...set,
    ranges: (set.ranges ?? []).map((range) => ({ ...range, ...change(range) })),
  }))

/** Changes where a range says that the next piece begins. */
const ending =
  (
    change: (done: { readonly removed: number; readonly next: unknown }, window: number) => unknown,
  ): Change =>
  (store) => ({
    commit: async (set) => {
      const outcome = await store.commit(set)
      if (!outcome.committed) return outcome
      return {
        ...outcome,
        ranges: outcome.ranges.map((done, at) => ({
          ...done,
          next: change(done, set.ranges?.[at]?.window ?? 0) as typeof done.next,
        })),
      }
    },
  })

export const rangeFaults: readonly BrokenStore[] = faults('ranges', [
  ['ends a range early', untouched, ranging(({ window }) => ({ window: Math.max(1, window - 1) }))],
  ['removes more than the window', untouched, ranging(({ window }) => ({ window: window + 1 }))],
  ['removes what fits no condition', untouched, ranging(() => ({ where: [] }))],
  ['begins a range at its cursor anew', cursor, ranging(() => ({ after: null }))],
  ['tells no next piece', untouched, ending(() => null)],
  ['tells a next piece where none is left', cursor, ending((done) => done.next ?? ['t1', 'zz'])],
  [
    'removes 5 rows at once at most, and calls it the end',
    untouched,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit({
          ...set,
          ranges: (set.ranges ?? []).map((range) => ({
            ...range,
            window: Math.min(5, range.window),
          })),
        })
        return outcome.committed
          ? { ...outcome, ranges: outcome.ranges.map((done) => ({ ...done, next: null })) }
          : outcome
      },
    }),
  ],
])
