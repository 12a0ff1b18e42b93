import type { Store, Versioned } from '@countersign/core/ports'
import { expect, expectEqual } from '../../assert.ts'
import { jobs, notes } from '../collections.ts'
import { everything } from '../everything.ts'
import { createStoreModel } from '../model.ts'
import { job, note, type Section } from '../section.ts'

/** Several stores on one database: what one commits, the others see at once. */
export function sharing({ fresh, options }: Section): void {
  const joined = async (store: Store, run: (other: Store) => Promise<void>) => {
    const other = await options.join?.(store)
    expect(other !== undefined, 'expected a store from join, got none')
    try {
      await run(other)
    } finally {
      await other.close()
    }
  }

  fresh(
    'two stores on one database share its rows and its conflicts',
    async (store) => {
      const other = await options.join?.(store)
      expect(other !== undefined, 'join gave no store')
      try {
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, (_, at) =>
            (at % 2 ? store : other).commit({
              tenant: null,
              puts: [{ in: notes.name, row: note(`n${at % 10}`), was: null }],
              appends: [{ log: 'journal', partition: 't1', entry: Uint8Array.of(at) }],
            }),
          ),
        )
        expectEqual(outcomes.filter(({ committed }) => committed).length, 10, 'sets committed')
        const [log] = await store.read(null, [
          { log: 'journal', partition: 't1', after: 0, take: 99 },
        ])
        expectEqual(
          log?.rows.map(({ version }) => version),
          [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
          'positions in the log',
        )
        const claims = await Promise.all(
          [store, other].map((one) => one.nextDue({ in: jobs.name })),
        )
        expectEqual(claims, [null, null], 'the next due time')
        await other.close()
        const [left] = await store.read(null, [{ get: notes.name, key: ['t1', 'n1'] }])
        expectEqual(left?.rows.length, 1, 'rows read after the other store was closed')
      } finally {
        await other.close()
      }
    },
    'sharing',
  )

  fresh(
    'each of two stores sees at once what the other committed',
    async (store) => {
      const model = createStoreModel()
      await joined(store, async (other) => {
        const both = [store, other]
        let was: Versioned | null = null
        for (let at = 0; at < 12; at++) {
          const row = note('a', { rank: at, label: `label ${at}` })
          const set = {
            tenant: null,
            puts: [
              { in: notes.name, row, was },
              { in: jobs.name, row: job(`lane ${at}`, 1, { due: 50 - at }), was: null },
            ],
            adds: [{ counter: 'all', delta: at }],
            appends: [{ log: 'journal', partition: 't1', entry: Uint8Array.of(at) }],
          }
          const writer = both[at % 2] ?? store
          expectEqual(await writer.commit(set), model.commit(set), `commit ${at}`)
          was = { row, version: at + 1, leasedBy: null }
          for (const [number, one] of both.entries()) {
            const told = `store ${number + 1} after commit ${at}`
            expectEqual(await everything(one, model), [], told)
            const [got] = await one.read('t1', [{ get: notes.name, key: ['t1', 'a'] }])
            expectEqual(got?.rows, [was], told)
            const scan = { in: jobs.name, now: 100, after: '', take: 99 }
            expectEqual(await one.lanes(scan), model.lanes(scan), `lanes of ${told}`)
            expectEqual(await one.nextDue(scan), model.nextDue(jobs.name), `next due of ${told}`)
          }
          const stale = {
            tenant: null,
            checks: [{ in: notes.name, key: ['t1', 'a'] as const, version: at }],
          }
          const reader = both[(at + 1) % 2] ?? store
          expectEqual(await reader.commit(stale), model.commit(stale), 'a check that is behind')
        }
      })
    },
    'sharing',
  )

  fresh(
    'two stores claim each row once',
    async (store) => {
      await joined(store, async (other) => {
        await store.commit({
          tenant: null,
          puts: Array.from({ length: 60 }, (_, at) => ({
            in: jobs.name,
            row: job(`lane ${at % 2}`, at),
            was: null,
          })),
        })
        const claimed = await Promise.all(
          Array.from({ length: 40 }, (_, at) =>
            (at % 2 ? store : other).claim({
              in: jobs.name,
              asks: [0, 1].map((lane) => ({ lane: `lane ${lane}`, take: 1 })),
              now: 1,
              leaseUntil: 50,
              owner: `owner ${at}`,
            }),
          ),
        )
        const numbers = claimed.flat().map(({ row }) => (row as { number: number }).number)
        expectEqual([numbers.length, new Set(numbers).size], [60, 60], 'rows claimed, and distinct')
      })
    },
    'sharing',
  )
}
