import type { LogEntry } from '@countersign/core/ports'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { answering, committing, pause } from './wrap.ts'

const chain = '60 appends at once make one chain without a gap and without a conflict'
const entries = '1,200 appends of 400 writers leave 1,200 entries'
const sizes = 'entries of every size are kept, linked in the order of their set'
const parts = 'partitions have chains of their own, and are read from any position'

const telling = (change: (entry: LogEntry) => LogEntry): Change =>
  answering((found, read) =>
    'log' in read
      ? {
          ...found,
          rows: found.rows.map((told) => ({ ...told, row: change(told.row as LogEntry) })),
        }
      : found,
  )

/** Loses every so manieth append. */
const losing =
  (each: number): Change =>
  (store) => {
    let count = 0
    return {
      commit: (set) =>
        store.commit({ ...set, appends: (set.appends ?? []).filter(() => ++count % each !== 0) }),
    }
  }

export const logFaults: readonly BrokenStore[] = faults('logs', [
  ...[61, 100, 256, 500].map(
    (each) => [`loses every append number ${each}`, entries, losing(each)] as const,
  ),
  [
    'appends the entries of a set backwards',
    sizes,
    committing((set) => ({ ...set, appends: [...(set.appends ?? [])].reverse() })),
  ],
  [
    'links every entry to the beginning',
    chain,
    telling((entry) => ({ ...entry, hash: new Uint8Array(32) })),
  ],
  ...[65_535, 65_536].map(
    (most) =>
      [
        `cuts entries at ${most} bytes`,
        sizes,
        telling((entry) => ({ ...entry, entry: entry.entry.slice(0, most) })),
      ] as const,
  ),
  [
    'keeps one log for all partitions',
    parts,
    (store) => ({
      commit: (set) =>
        store.commit({
          ...set,
          tenant: null,
          appends: (set.appends ?? []).map((one) => ({ ...one, partition: 'all' })),
        }),
      read: (tenant, reads) =>
        store
          .read(
            null,
            reads.map((read) => ('log' in read ? { ...read, partition: 'all' } : read)),
          )
          .then((found) => (tenant === null ? found : found)),
    }),
  ],
  [
    'takes partitions in any case for one',
    sizes,
    (store) => ({
      commit: (set) =>
        store.commit({
          ...set,
          appends: (set.appends ?? []).map((one) => ({
            ...one,
            partition: one.partition.toLowerCase(),
          })),
        }),
      read: (tenant, reads) =>
        store.read(
          tenant,
          reads.map((read) =>
            'log' in read ? { ...read, partition: read.partition.toLowerCase() } : read,
          ),
        ),
    }),
  ],
  [
    'takes one log for the other',
    sizes,
    (store) => ({
      read: (tenant, reads) =>
        store.read(
          tenant,
          reads.map((read) => ('log' in read ? { ...read, log: 'journal' } : read)),
        ),
    }),
  ],
  [
    'reads a log from its cursor',
    parts,
    (store) => ({
      read: (tenant, reads) =>
        store.read(
          tenant,
          reads.map((read) =>
            'log' in read ? { ...read, after: Math.max(0, read.after - 1) } : read,
          ),
        ),
    }),
  ],
  [
    'counts the entries that it gives',
    parts,
    answering((found, read) => ('log' in read ? { ...found, total: found.rows.length } : found)),
  ],
  [
    'numbers entries from 0',
    chain,
    telling((entry) => ({ ...entry, position: entry.position - 1 })),
  ],
  [
    'gives two writers one position',
    chain,
    (store) => {
      let busy = false
      return {
        commit: async (set) => {
          if (busy) return { committed: true, ranges: [] }
          busy = true
          await pause()
          busy = false
          return store.commit(set)
        },
      }
    },
  ],
])

const summed = 'counters add up whatever the order, and a refused set adds nothing'
const large = 'counters hold any integer below 2^53, and each its own'

const counting = (change: (total: number) => number): Change =>
  answering((found, read) =>
    'counter' in read ? { ...found, total: change(found.total ?? 0) } : found,
  )

export const counterFaults: readonly BrokenStore[] = faults('counters', [
  ['keeps counters in 32 bits', large, counting((total) => total | 0)],
  ['keeps counters without sign', large, counting((total) => total >>> 0)],
  ['keeps counters as single floats', large, counting(Math.fround)],
  ['stops counters at 0', large, counting((total) => Math.max(0, total))],
  [
    'takes counters in any case for one',
    large,
    (store) => ({
      commit: (set) =>
        store.commit({
          ...set,
          adds: (set.adds ?? []).map((one) => ({ ...one, counter: one.counter.toLowerCase() })),
        }),
      read: (tenant, reads) =>
        store.read(
          tenant,
          reads.map((read) => ('counter' in read ? { counter: read.counter.toLowerCase() } : read)),
        ),
    }),
  ],
  [
    'adds to a counter once in a set',
    summed,
    committing((set) => ({
      ...set,
      adds: [...new Map((set.adds ?? []).map((one) => [one.counter, one])).values()],
    })),
  ],
  [
    'reads a counter, then writes the sum',
    summed,
    (store) => {
      const totals = new Map<string, number>()
      return {
        commit: async ({ adds = [], ...set }) => {
          const before = adds.map(({ counter }) => totals.get(counter) ?? 0)
          await pause()
          const outcome = await store.commit(set)
          if (outcome.committed)
            for (const [at, { counter, delta }] of adds.entries())
              totals.set(counter, (before[at] ?? 0) + delta)
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
])
