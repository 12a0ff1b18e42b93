import { chainHash, chainStart } from '@countersign/core/store-kit'
import { expectEqual } from '../../assert.ts'
import { history } from '../collections.ts'
import { createStoreModel } from '../model.ts'
import type { Section } from '../section.ts'

const utf8 = new TextEncoder()

/** Logs and counters: numbered, linked and summed by the store, so that writers never conflict. */
export function logs({ fresh }: Section): void {
  fresh('60 appends at once make one chain without a gap and without a conflict', async (store) => {
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        store.commit({
          tenant: 't1',
          appends: [at * 2, at * 2 + 1].map((number) => ({
            log: history.name,
            partition: 't1',
            entry: utf8.encode(`entry ${number}`),
          })),
        }),
      ),
    )
    for (const outcome of outcomes) expectEqual(outcome, { committed: true, ranges: [] }, 'outcome')
    const [found] = await store.read('t1', [
      { log: history.name, partition: 't1', after: 0, take: 1000 },
    ])
    expectEqual([found?.rows.length, found?.total], [60, 60], 'entries')
    let previous = chainStart
    const seen = new Set<string>()
    for (const [at, { row, version }] of (found?.rows ?? []).entries()) {
      const { entry, position, hash } = row as {
        entry: Uint8Array
        position: number
        hash: Uint8Array
      }
      previous = chainHash(previous, entry)
      expectEqual([position, version, hash], [at + 1, at + 1, previous], `entry ${at + 1}`)
      seen.add(entry.join())
    }
    expectEqual(seen.size, 60, 'distinct entries')
  })

  fresh('entries of every size are kept, linked in the order of their set', async (store) => {
    const model = createStoreModel()
    const sizes = [0, 1, 255, 256, 65_535, 65_536, 70_001, 1]
    for (const partition of ['t1', 'T1', 't1 ', '', 't2']) {
      const set = {
        tenant: null,
        appends: sizes.map((size, at) => ({
          log: 'journal',
          partition,
          entry: new Uint8Array(size).fill(at + 1),
        })),
      }
      expectEqual(await store.commit(set), model.commit(set), 'the outcome')
      const reads = [
        { log: 'journal', partition, after: 0, take: 9 },
        { log: 'journal', partition, after: 3, take: 2 },
        { log: 'history', partition, after: 0, take: 9 },
      ]
      for (const read of reads)
        expectEqual(await store.read(null, [read]), [model.read(null, read)], JSON.stringify(read))
    }
  })

  fresh('counters hold any integer below 2^53, and each its own', async (store) => {
    const deltas: Readonly<Record<string, readonly number[]>> = {
      a: [2 ** 31 - 1, 1, 1],
      A: [-(2 ** 31), -1, -1],
      'a ': [2 ** 32, 2 ** 32],
      '': [Number.MAX_SAFE_INTEGER],
      b: [Number.MIN_SAFE_INTEGER, 1],
      c: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
      d: [2 ** 24, 1],
    }
    for (const at of [0, 1, 2])
      await store.commit({
        tenant: 't1',
        adds: Object.entries(deltas).flatMap(([counter, all]) => {
          const delta = all[at]
          return delta === undefined ? [] : [{ counter, delta }]
        }),
      })
    const found = await store.read(
      't1',
      Object.keys(deltas).map((counter) => ({ counter })),
    )
    expectEqual(
      Object.fromEntries(Object.keys(deltas).map((name, at) => [name, found[at]?.total])),
      Object.fromEntries(
        Object.entries(deltas).map(([name, all]) => [name, all.reduce((sum, one) => sum + one, 0)]),
      ),
      'counters',
    )
  })

  fresh('partitions have chains of their own, and are read from any position', async (store) => {
    for (const partition of ['t1', 't2', 't1', 't1'])
      await store.commit({
        tenant: partition,
        appends: [{ log: 'journal', partition, entry: utf8.encode(partition) }],
      })
    const read = async (partition: string, after: number, take: number) => {
      const [found] = await store.read(null, [{ log: 'journal', partition, after, take }])
      return [found?.rows.map(({ version }) => version), found?.total]
    }
    expectEqual(await read('t1', 0, 2), [[1, 2], 3], 'the first two')
    expectEqual(await read('t1', 2, 9), [[3], 3], 'behind the second')
    expectEqual(await read('t1', 3, 9), [[], 3], 'behind the last')
    expectEqual(await read('t2', 0, 9), [[1], 1], 'the other partition')
    expectEqual(await read('t3', 0, 9), [[], 0], 'a partition without entries')
  })

  fresh('counters add up whatever the order, and a refused set adds nothing', async (store) => {
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        store.commit({
          tenant: null,
          checks: at === 13 ? [{ in: 'settings', key: ['none'], version: 4 }] : [],
          adds: [
            { counter: 'all', delta: at - 10 },
            { counter: 'all', delta: 1 },
          ],
        }),
      ),
    )
    const [total, none] = await store.read(null, [{ counter: 'all' }, { counter: 'never added' }])
    // Forty-nine sets: the sum of 0 to 49 less 13, less 10 and plus 1 for each.
    expectEqual([total?.total, none?.total], [1225 - 13 - 49 * 9, 0], 'counters')
  })
}
