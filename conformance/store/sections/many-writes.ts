import type { Put } from '@countersign/core/ports'
import { expect, expectEqual } from '../../assert.ts'
import { settings } from '../collections.ts'
import type { Section } from '../section.ts'
import { conflict, many, numbers, setting } from './numbered.ts'

const utf8 = new TextEncoder()

/** What works for a few writers works for hundreds, and for a row that is written hundreds of times. */
export function manyWrites({ fresh }: Section): void {
  fresh('1,200 appends of 400 writers leave 1,200 entries', async (store) => {
    for (let round = 0; round < 4; round++) {
      const outcomes = await Promise.all(
        numbers(100).map((at) =>
          store.commit({
            tenant: null,
            appends: [0, 1, 2].map((part) => ({
              log: 'journal',
              partition: part === 2 ? 't2' : 't1',
              entry: utf8.encode(`${round} ${at} ${part}`),
            })),
          }),
        ),
      )
      expect(
        outcomes.every(({ committed }) => committed),
        'expected every append to be committed',
      )
    }
    for (const [partition, count] of [
      ['t1', 800],
      ['t2', 400],
    ] as const) {
      const [log] = await store.read(null, [{ log: 'journal', partition, after: 0, take: 2_000 }])
      const entries = log?.rows.map(({ row }) => (row as { entry: Uint8Array }).entry.join()) ?? []
      expectEqual(
        [log?.total, entries.length, new Set(entries).size],
        [count, count, count],
        `position of the last entry, entries, distinct entries of ${partition}`,
      )
    }
  })

  fresh('of 300 writers at once each is told its own outcome', async (store) => {
    await store.commit({ tenant: null, puts: numbers(many / 2).map(setting) })
    const outcomes = await Promise.all(
      numbers(many).map((at) =>
        store.commit({
          tenant: null,
          puts: [setting(at)],
          adds: [{ counter: `counter ${at % 70}`, delta: 1 }],
        }),
      ),
    )
    for (const at of numbers(many))
      expectEqual(
        outcomes[at],
        at < many / 2
          ? { committed: false, conflicts: [conflict(at)] }
          : { committed: true, ranges: [] },
        `the outcome of writer ${at + 1}`,
      )
    const counted = await store.read(
      null,
      numbers(70).map((at) => ({ counter: `counter ${at}` })),
    )
    const expected = numbers(70).map(
      (at) => numbers(many).filter((one) => one >= many / 2 && one % 70 === at).length,
    )
    expectEqual(
      counted.map(({ total }) => total),
      expected,
      'what they counted',
    )
  })

  fresh('a row that was written 300 times has version 300', async (store) => {
    let was: Put['was'] = null
    for (let version = 1; version <= many; version++) {
      const row = { name: 'x', value: version }
      const outcome = await store.commit({
        tenant: null,
        puts: [{ in: settings.name, row, was }],
      })
      expectEqual(outcome, { committed: true, ranges: [] }, `write number ${version}`)
      was = { row, version, leasedBy: null }
    }
    const [found] = await store.read(null, [{ get: settings.name, key: ['x'] }])
    expectEqual(found?.rows[0], was, 'the row')
    expectEqual(
      await store.commit({
        tenant: null,
        checks: [{ in: settings.name, key: ['x'], version: many - 256 }],
      }),
      {
        committed: false,
        conflicts: [{ kind: 'version', in: settings.name, key: ['x'], now: many }],
      },
      `a check of version ${many - 256}`,
    )
  })
}
