import type { Check, Key, Read, Store } from '@countersign/core/ports'
import { expectEqual } from '../../assert.ts'
import { declared, history, jobs, notes, settings } from '../collections.ts'
import { createStoreModel } from '../model.ts'
import { job, note, type Section } from '../section.ts'
import { manyWrites } from './many-writes.ts'
import { conflict, many, numbers, setting } from './numbered.ts'

const utf8 = new TextEncoder()

/** First and last, and both sides of the plausible limits between. */
const places = [0, 1, 7, 8, 16, 31, 32, 63, 64, 99, 100, 127, 128, 255, 256, many - 1]

/** What works with a few works with hundreds: nothing is cut, dropped or left out in silence. */
export function sizes(section: Section): void {
  const { fresh } = section
  fresh('each of 300 checks of a set is judged', async (store) => {
    await store.commit({ tenant: null, puts: numbers(many).map(setting) })
    for (const moved of places) {
      const checks: Check[] = numbers(many).map((at) => ({
        in: settings.name,
        key: [`s${at}`],
        version: at === moved ? 2 : 1,
      }))
      expectEqual(
        await store.commit({ tenant: null, checks, adds: [{ counter: 'all', delta: 1 }] }),
        { committed: false, conflicts: [conflict(moved)] },
        `a set whose check number ${moved + 1} fails`,
      )
    }
    const checks = numbers(many).map(
      (at): Check => ({ in: settings.name, key: [`s${at}`], version: 0 }),
    )
    expectEqual(
      await store.commit({ tenant: null, checks }),
      { committed: false, conflicts: numbers(many).map(conflict) },
      'a set whose checks all fail',
    )
    const [all] = await store.read(null, [{ counter: 'all' }])
    expectEqual(all?.total, 0, 'what the refused sets counted')
  })

  fresh('each of 300 puts and removes of a set is judged', async (store) => {
    await store.commit({ tenant: null, puts: numbers(many).map(setting) })
    for (const moved of places) {
      const was = (at: number) => ({
        row: { name: `s${at}`, value: at },
        version: at === moved ? 2 : 1,
        leasedBy: null,
      })
      const refused = { committed: false, conflicts: [conflict(moved)] }
      const puts = numbers(many).map((at) => ({ ...setting(at), was: was(at) }))
      expectEqual(await store.commit({ tenant: null, puts }), refused, `put number ${moved + 1}`)
      const removes = numbers(many).map((at) => ({
        in: settings.name,
        key: [`s${at}`] as Key,
        version: was(at).version,
      }))
      expectEqual(
        await store.commit({ tenant: null, removes }),
        refused,
        `remove number ${moved + 1}`,
      )
    }
  })

  fresh('a set with 300 of each kind is written whole', async (store) => {
    const model = createStoreModel()
    const both = async (set: Parameters<Store['commit']>[0], what: string) =>
      expectEqual(await store.commit(set), model.commit(set), what)
    const pad = (at: number) => String(at).padStart(4, '0')
    await both(
      {
        tenant: null,
        puts: [
          ...numbers(many).map(setting),
          ...numbers(many).map((at) => ({
            in: notes.name,
            row: note(pad(at), { applicationId: `app ${at % 100}`, label: `label ${at}` }),
            was: null,
          })),
        ],
      },
      'the first set',
    )
    await both(
      {
        tenant: null,
        puts: numbers(many).map((at) => ({
          in: jobs.name,
          row: job(`lane ${at}`, 1),
          was: null,
          leasedBy: `owner ${at}`,
        })),
        removes: numbers(many).map((at) => ({
          in: settings.name,
          key: [`s${at}`] as Key,
          version: 1,
        })),
        ranges: numbers(100).map((at) => ({
          in: notes.name,
          where: [['applicationId', '=', `app ${at}`]] as const,
          after: null,
          window: 2,
        })),
        adds: numbers(many).map((at) => ({ counter: `counter ${at}`, delta: at + 1 })),
        appends: numbers(many).map((at) => ({
          log: history.name,
          partition: at % 2 ? 't1' : 't2',
          entry: utf8.encode(`entry ${at}`),
        })),
      },
      'the second set',
    )
    const whole = { where: [], by: 'key', newest: false, skip: 0, take: 2 * many, count: true }
    const reads: readonly Read[] = [
      ...declared.collections.map(({ name }) => ({ list: name, ...whole })),
      ...numbers(many).map((at) => ({ counter: `counter ${at}` })),
      ...['t1', 't2'].map((partition) => ({
        log: history.name,
        partition,
        after: 0,
        take: many,
      })),
    ]
    await compareReads(store, model, reads)
  })

  fresh('each of 300 reads of a call is answered, in its place', async (store) => {
    const model = createStoreModel()
    const set = {
      tenant: null,
      puts: [
        ...numbers(100).map(setting),
        ...numbers(100).map((at) => ({ in: notes.name, row: note(`n${at}`), was: null })),
      ],
      adds: numbers(50).map((at) => ({ counter: `counter ${at}`, delta: at })),
      appends: numbers(50).map((at) => ({
        log: 'journal',
        partition: 't1',
        entry: Uint8Array.of(at),
      })),
    }
    expectEqual(await store.commit(set), model.commit(set), 'the set')
    await compareReads(
      store,
      model,
      numbers(many).map((at): Read => {
        if (at % 5 === 0) return { get: settings.name, key: [`s${(at * 7) % 120}`] }
        if (at % 5 === 1) return { counter: `counter ${(at * 11) % 60}` }
        if (at % 5 === 2) return { log: 'journal', partition: 't1', after: at % 50, take: at % 7 }
        if (at % 5 === 3) return { get: notes.name, key: ['t1', `n${(at * 3) % 120}`] }
        const list = { list: notes.name, where: [], by: 'key', newest: at % 2 === 0 }
        return { ...list, skip: at % 90, take: at % 20, count: at % 3 === 0 }
      }),
    )
  })

  fresh('a list and a log give as many rows as are asked for', async (store) => {
    const count = 1_200
    const model = createStoreModel()
    for (const from of [0, 600]) {
      const set = {
        tenant: null,
        puts: numbers(600).map((at) => ({
          in: notes.name,
          row: note(`n${((from + at) * 7) % count}`, { rank: (from + at) % 9 }),
          was: null,
        })),
        appends: numbers(600).map((at) => ({
          log: 'journal',
          partition: 't1',
          entry: utf8.encode(`entry ${from + at}`),
        })),
      }
      expectEqual(await store.commit(set), model.commit(set), 'a set of 600')
    }
    const pages = [
      [0, 2 * count],
      [count - 5, 10],
      [150, 1_010],
    ] as const
    await compareReads(
      store,
      model,
      pages.flatMap(([skip, take]): Read[] => [
        { list: notes.name, where: [], by: 'key', newest: false, skip, take, count: true },
        { list: notes.name, where: [], by: 'byRank', newest: true, skip, take, count: true },
        { log: 'journal', partition: 't1', after: skip, take },
      ]),
    )
  })
  manyWrites(section)
}

/** Asks all in one call; each answer has to be the model's. */
export async function compareReads(
  store: Store,
  model: ReturnType<typeof createStoreModel>,
  reads: readonly Read[],
  tenant: string | null = null,
): Promise<void> {
  const found = await store.read(tenant, reads)
  expectEqual(found.length, reads.length, 'answers to the reads of one call')
  for (const [at, read] of reads.entries())
    expectEqual(found[at], model.read(tenant, read), JSON.stringify(read))
}
