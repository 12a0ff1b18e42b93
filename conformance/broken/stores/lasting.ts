import type { Found, Read, Value } from '@countersign/core/ports'
import { StoreError } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { answering, pause, telling, wholeOf } from './wrap.ts'

const there = 'every kind of change is there after a restart'
const hundreds = 'hundreds of rows, entries and counters are there after a restart'
const rests = 'what fences and binds does so after a restart'
const closed = 'what was asked before close is done, what is asked after it is refused'

const counterless: Change = answering((found, read) =>
  'counter' in read ? { ...found, total: 0 } : found,
)

const durability = faults('durability', [
  [
    'loses its last commit',
    there,
    {
      survive: (writes) =>
        writes.filter((write) => write !== writes.findLast(({ kind }) => kind === 'commit')),
    },
  ],
  [
    'loses its claims',
    there,
    { survive: (writes) => writes.filter(({ kind }) => kind !== 'claim') },
  ],
  ['loses all but its first 100 writes', hundreds, { survive: (writes) => writes.slice(0, 100) }],
  [
    'loses the last 8 writes of many',
    hundreds,
    { survive: (writes) => (writes.length > 100 ? writes.slice(0, -8) : writes) },
  ],
  ['forgets counters', there, { reopened: counterless }],
  [
    'forgets who holds a lease',
    there,
    { reopened: telling((told) => ({ ...told, leasedBy: null })) },
  ],
  ['begins versions anew', there, { reopened: telling((told) => ({ ...told, version: 1 })) }],
  [
    'forgets logs',
    there,
    { reopened: answering((found, read) => ('log' in read ? { rows: [], total: 0 } : found)) },
  ],
  [
    'begins logs anew',
    there,
    {
      reopened: (store, { declared }) => {
        const begun = createMemoryStore(declared)
        return {
          commit: async (set) => {
            await begun.commit({ tenant: set.tenant, appends: set.appends ?? [] })
            return store.commit({ ...set, appends: [] })
          },
          read: async (tenant, reads) => {
            const fresh = await begun.read(tenant, reads)
            return (await store.read(tenant, reads)).map((found, at) => {
              const read = reads[at]
              const added = fresh[at]
              return read && 'log' in read && added?.total ? added : found
            })
          },
        }
      },
    },
  ],
  [
    'forgets its unique rules',
    rests,
    {
      reopened: (store, { declared }) => {
        const bare = createMemoryStore({
          collections: declared.collections.map(({ unique: _, ...collection }) => collection),
          logs: declared.logs,
        })
        return {
          commit: async (set) => {
            const outcome = await store.commit(set)
            if (outcome.committed || outcome.conflicts[0].kind === 'version') return outcome
            return bare.commit({ ...set, puts: [] })
          },
        }
      },
    },
  ],
  ['forgets what is due', rests, { reopened: () => ({ nextDue: async () => null }) }],
  ['forgets its lanes', rests, { reopened: () => ({ lanes: async () => [] }) }],
  [
    'takes a settle of before',
    rests,
    {
      reopened: (store) => ({
        commit: async (set) => {
          const outcome = await store.commit(set)
          const late =
            !outcome.committed && set.puts?.some(({ in: name, was }) => name === 'jobs' && was)
          return late ? { committed: true, ranges: [] } : outcome
        },
      }),
    },
  ],
  [
    'takes everything after close',
    closed,
    (store) => ({ close: async () => {}, scrub: () => store.scrub() }),
  ],
  [
    'closes before what it was asked is done',
    closed,
    (store) => {
      let ended = false
      return {
        commit: async (set) => {
          await pause()
          if (ended) throw new StoreError('closed', 'the store is closed')
          return store.commit(set)
        },
        close: async () => {
          ended = true
          return store.close()
        },
      }
    },
  ],
  [
    'can not be closed twice',
    closed,
    (store) => {
      let ended = false
      return {
        close: async () => {
          if (ended) throw new Error('closed already')
          ended = true
          return store.close()
        },
      }
    },
  ],
])

const shared = 'two stores on one database share its rows and its conflicts'
const sees = 'each of two stores sees at once what the other committed'
const between = 'two stores claim each row once'

/** Answers reads of one kind from what this store saw before. */
const caching =
  (kind: 'get' | 'list' | 'log' | 'counter'): Change =>
  (store) => {
    const seen = new Map<string, Found>()
    return {
      commit: (set) => {
        seen.clear()
        return store.commit(set)
      },
      read: async (tenant, reads) =>
        (await store.read(tenant, reads)).map((found, at) => {
          const read: Read | undefined = reads[at]
          if (!read || !(kind in read)) return found
          const name = JSON.stringify([tenant, read])
          const before = seen.get(name) ?? found
          seen.set(name, before)
          return before
        }),
    }
  }

const sharing = faults('sharing', [
  ...(['get', 'list', 'log', 'counter'] as const).map(
    (kind) => [`caches each ${kind}`, sees, caching(kind)] as const,
  ),
  [
    'keeps counters of its own',
    sees,
    (store) => {
      const totals = new Map<string, number>()
      return {
        commit: async (set) => {
          const outcome = await store.commit(set)
          if (outcome.committed)
            for (const { counter, delta } of set.adds ?? [])
              totals.set(counter, (totals.get(counter) ?? 0) + delta)
          return outcome
        },
        read: async (tenant, reads) =>
          (await store.read(tenant, reads)).map((found, at) => {
            const read = reads[at]
            return read && 'counter' in read
              ? { ...found, total: totals.get(read.counter) ?? 0 }
              : found
          }),
      }
    },
  ],
  [
    'knows the next due time of its own rows',
    sees,
    (store) => {
      let own = false
      return {
        commit: (set) => {
          own ||= set.puts?.some(({ in: name }) => name === 'jobs') ?? false
          return store.commit(set)
        },
        nextDue: async (query) => (own ? store.nextDue(query) : null),
        lanes: async (query) => (own ? store.lanes(query) : []),
      }
    },
  ],
  [
    'looks for due rows, then leases them',
    between,
    (store) => ({
      claim: async (query) => {
        const rows = await wholeOf(store, null, query.in)
        await pause()
        const got = await store.claim(query)
        if (got.length) return got
        return rows
          .filter(({ row }) =>
            query.asks.some(({ lane }) => lane === (row as { lane: Value }).lane),
          )
          .filter(({ row }) => (row as { due: number | null }).due === 0)
          .slice(0, 1)
      },
    }),
  ],
  [
    'closes the database for all',
    shared,
    (store, { memory }) => ({
      close: async () => {
        await store.close()
        await memory.close()
      },
    }),
  ],
])

const removed = 'once removed and scrubbed, bytes are in no file'
const rewritten = 'bytes of rows that a range took or a write replaced are in no file'

let scrubs = 0
const shredding = faults('shredding', [
  ['leaves removed rows in the file', removed, { scrubbed: () => true }],
  [
    'shreds content alone',
    removed,
    { scrubbed: ({ bytes }, isLive) => isLive || bytes[0] === 0x7b },
  ],
  [
    'shreds rows, and no content',
    removed,
    { scrubbed: ({ bytes }, isLive) => isLive || bytes[0] !== 0x7b },
  ],
  [
    'leaves what was replaced',
    rewritten,
    { scrubbed: ({ version }, isLive) => isLive || version === 1 },
  ],
  [
    'scrubs 16 rows',
    rewritten,
    {
      scrubbed: (_, isLive) => {
        scrubs = isLive ? scrubs : scrubs + 1
        return isLive || scrubs > 16
      },
    },
  ],
])

export const lastingFaults: readonly BrokenStore[] = [...durability, ...sharing, ...shredding]
