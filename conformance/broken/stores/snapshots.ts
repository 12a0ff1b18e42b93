import type { Read, Store } from '@countersign/core/ports'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { pause } from './wrap.ts'

const snapshot = 'all reads of a call see one snapshot'
const kinds = 'each kind of read sees the same commits as the others of its call'

/** Reads of one kind are done a moment after the others of their call. */
const later =
  (late: (read: Read, at: number) => boolean): Change =>
  (store) => ({
    read: async (tenant, reads) => {
      const first = await store.read(tenant, reads)
      await pause()
      const second = await store.read(tenant, reads)
      return reads.map(
        (read, at) => (late(read, at) ? second[at] : first[at]) ?? { rows: [], total: null },
      )
    },
  })

export const snapshotFaults: readonly BrokenStore[] = faults('snapshots', [
  [
    'reads one after another',
    snapshot,
    (store) => ({
      read: async (tenant, reads) => {
        const found = []
        for (const read of reads) {
          found.push(...(await store.read(tenant, [read])))
          await pause()
        }
        return found
      },
    }),
  ],
  ['reads counters later', kinds, later((read) => 'counter' in read)],
  ['reads logs later', kinds, later((read) => 'log' in read)],
  ['reads entries of logs later', kinds, later((read) => 'log' in read && read.take > 0)],
  ['reads lists later', kinds, later((read) => 'list' in read)],
  ['reads rows of lists later', kinds, later((read) => 'list' in read && read.take > 1)],
  ['reads gets later', kinds, later((read) => 'get' in read)],
  ['takes a second snapshot behind 4 reads', kinds, later((_, at) => at >= 4)],
  ['takes a second snapshot behind 8 reads', kinds, later((_, at) => at >= 8)],
  [
    'counts a list later than it reads it',
    kinds,
    (store) => ({
      read: async (tenant, reads) => {
        const first = await store.read(tenant, reads)
        await pause()
        const second = await store.read(tenant, reads)
        return first.map((found, at) => ({
          ...found,
          total: 'list' in (reads[at] ?? {}) ? (second[at]?.total ?? null) : found.total,
        }))
      },
    }),
  ],
  [
    'answers gets from the call before',
    kinds,
    (store) => {
      const last = new Map<string, Awaited<ReturnType<Store['read']>>[number]>()
      return {
        read: async (tenant, reads) =>
          (await store.read(tenant, reads)).map((found, at) => {
            const read = reads[at]
            if (!read || !('get' in read)) return found
            const name = JSON.stringify([tenant, read])
            const before = last.get(name) ?? found
            last.set(name, found)
            return before
          }),
      }
    },
  ],
])
