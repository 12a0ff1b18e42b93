import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeSet, Store } from '@countersign/core/ports'
import fc from 'fast-check'
import { type Application, applications, purgeKind } from '../../../applications/records.ts'
import { list, many } from '../../../kernel/ledger/reads.ts'
import { type WorkItem, workItems } from '../../../kernel/work/records.ts'
import { type Delivery, deliveries, messages } from '../../../outbox/records.ts'
import { type Purge, purges } from '../../../removal/lifecycle/records.ts'
import { histories } from './history/draw.ts'
import { problemsOf } from './history/run.ts'
import type { Faults } from './history/world.ts'
import { lastWord } from './remains.ts'

/** Processes whose store is another. */
const onStore = (change: (store: Store) => Partial<Store>): Faults => ({
  ports: (ports) => ({ ...ports, store: { ...ports.store, ...change(ports.store) } }),
})

/** Processes whose commits are others. */
const committing = (change: (set: ChangeSet) => ChangeSet): Faults =>
  onStore((store) => ({ commit: (set) => store.commit(change(set)) }))

/** Processes that write the row of an application otherwise. */
const writing = (change: (row: Application) => Application): Faults =>
  committing((set) => ({
    ...set,
    puts: (set.puts ?? []).map((each) =>
      each.in === applications.name
        ? { ...each, row: change(each.row as Application) as typeof each.row }
        : each,
    ),
  }))

/** Processes that find no row where they look so. */
const blindTo = (name: string, by: string): Faults =>
  onStore((store) => ({
    read: async (tenant, reads) => {
      const found = await store.read(tenant, reads)
      return found.map((each, at) => {
        const read = reads[at]
        const isBlind = read && 'list' in read && read.list === name && read.by === by
        return isBlind ? { ...each, rows: [], total: 0 } : each
      })
    },
  }))

/** Purges that take what is still owed. */
const impatient = onStore((store) => ({
  commit: async (set) => {
    const purge = set.puts?.find((each) => each.in === purges.name)?.row as Purge | undefined
    if (!purge) return store.commit(set)
    const where = [['applicationId', '=', purge.applicationId]] as const
    const [found] = await store.read(null, [
      list(deliveries, { by: 'byApplication', where, take: 50 }),
    ])
    const taken = many(deliveries, found).flatMap(({ row, version }) => {
      const key = [row.endpointId, row.messageId] as const
      const isTouched = [...(set.removes ?? []), ...(set.puts ?? [])].some(
        (each) => each.in === deliveries.name,
      )
      return isTouched ? [] : { in: deliveries.name, key, version }
    })
    return store.commit({ ...set, removes: [...(set.removes ?? []), ...taken] })
  },
}))

const mutants: Readonly<Record<string, Faults>> = {
  'that passes over holds': blindTo('legalHolds', 'byActive'),
  'whose grace is shorter': committing((set) => ({
    ...set,
    puts: (set.puts ?? []).map((each) => {
      const { deletion } = each.row as Application
      if (each.in === applications.name && deletion)
        return { ...each, row: { ...each.row, deletion: { ...deletion, purgeAt: 0 } } }
      const isPurge = each.in === workItems.name && (each.row as WorkItem).kind === purgeKind
      return isPurge ? { ...each, row: { ...each.row, due: 0 } } : each
    }),
  })),
  'whose cancel restores less': writing((row) =>
    row.deletion === null ? { ...row, outcomeCallback: null } : row,
  ),
  'whose end nobody hears of': committing((set) => ({
    ...set,
    puts: (set.puts ?? []).filter(
      ({ in: name, row }) =>
        ![messages.name, deliveries.name].includes(name) || (row as Delivery).type !== lastWord,
    ),
  })),
  'that takes what is owed': impatient,
  'that ends an organization before what it is owed': blindTo('deliveries', 'byStatus'),
}

describe('deletions beside all else, in any order, whose processes die between any calls', () => {
  it('lose, double and leave nothing', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (given) => {
        assert.deepEqual(await problemsOf(given), [])
      }),
      { numRuns: process.env.COUNTERSIGN_PROVE ? 150 : 60 },
    )
  })

  for (const [name, faults] of Object.entries(mutants))
    it(`would show a deletion ${name}`, async () => {
      const property = fc.asyncProperty(
        histories,
        async (given) => (await problemsOf(given, faults)).length === 0,
      )
      const found = await fc.check(property, { numRuns: 100, seed: 7, endOnFailure: true })
      assert.ok(found.failed, 'it was not found')
    })
})
