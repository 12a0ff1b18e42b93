import { expect, expectEqual } from '../../assert.ts'
import { jobs, notes, settings } from '../collections.ts'
import { everything } from '../everything.ts'
import { createStoreModel } from '../model.ts'
import { job, note, type Section } from '../section.ts'

const utf8 = new TextEncoder()

/** Sets are whole, versions are judged, and of racing writers one wins. */
export function commits({ fresh }: Section): void {
  fresh('a set with one moved version writes nothing of itself', async (store) => {
    const before = {
      tenant: null,
      puts: [
        { in: notes.name, row: note('a'), was: null },
        { in: settings.name, row: { name: 'x', value: 1 }, was: null },
      ],
      adds: [{ counter: 'all', delta: 1 }],
      appends: [{ log: 'journal', partition: 't1', entry: utf8.encode('1') }],
    }
    const model = createStoreModel()
    expectEqual(await store.commit(before), model.commit(before), 'the first set')
    const parts = {
      puts: [{ in: notes.name, row: note('b'), was: null }],
      removes: [{ in: settings.name, key: ['x'] as const, version: 1 }],
      ranges: [{ in: notes.name, where: [], after: null, window: 9 }],
      adds: [{ counter: 'all', delta: 5 }],
      appends: [{ log: 'journal', partition: 't1', entry: utf8.encode('2') }],
    }
    const spoilt = [
      { ...parts, checks: [{ in: notes.name, key: ['t1', 'a'] as const, version: 2 }] },
      { ...parts, checks: [{ in: notes.name, key: ['t1', 'a'] as const, version: 0 }] },
      { ...parts, puts: [...parts.puts, { in: notes.name, row: note('a'), was: null }] },
      { ...parts, removes: [{ in: notes.name, key: ['t1', 'c'] as const, version: 1 }] },
      {
        ...parts,
        puts: [
          { in: notes.name, row: note('d', { label: 'same' }), was: null },
          { in: notes.name, row: note('e', { label: 'same' }), was: null },
        ],
      },
    ]
    for (const set of spoilt) {
      const outcome = await store.commit({ tenant: null, ...set })
      expect(!outcome.committed, 'a set with a conflict was committed')
      expectEqual(await everything(store, model), [], 'what a refused set left behind')
    }
  })

  fresh('every moved version of a set is told, with the version that is there', async (store) => {
    await store.commit({
      tenant: null,
      puts: [
        { in: notes.name, row: note('a'), was: null },
        { in: settings.name, row: { name: 'x', value: 1 }, was: null },
      ],
    })
    const outcome = await store.commit({
      tenant: null,
      checks: [
        { in: settings.name, key: ['x'], version: 7 },
        { in: settings.name, key: ['y'], version: 0 },
      ],
      puts: [{ in: notes.name, row: note('a'), was: null }],
      removes: [{ in: notes.name, key: ['t1', 'b'], version: 3 }],
    })
    expectEqual(
      outcome,
      {
        committed: false,
        conflicts: [
          { kind: 'version', in: 'settings', key: ['x'], now: 1 },
          { kind: 'version', in: 'notes', key: ['t1', 'a'], now: 1 },
          { kind: 'version', in: 'notes', key: ['t1', 'b'], now: 0 },
        ],
      },
      'the outcome',
    )
  })

  fresh('of 30 writers that saw the same version one wins, round after round', async (store) => {
    await store.commit({
      tenant: null,
      puts: [{ in: settings.name, row: { name: 'x', value: 0 }, was: null }],
    })
    for (let round = 1; round <= 5; round++) {
      const [found] = await store.read(null, [{ get: settings.name, key: ['x'] }])
      const was = found?.rows[0] ?? null
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, value) =>
          store.commit({
            tenant: null,
            puts: [{ in: settings.name, row: { name: 'x', value }, was }],
          }),
        ),
      )
      const winners = outcomes.flatMap(({ committed }, at) => (committed ? [at] : []))
      expectEqual(winners.length, 1, 'writers told committed')
      const [after] = await store.read(null, [{ get: settings.name, key: ['x'] }])
      expectEqual(
        after?.rows[0],
        { row: { name: 'x', value: winners[0] }, version: round + 1, leasedBy: null },
        'the row of the winner',
      )
    }
  })

  fresh('two facts that check each other can not both move', async (store) => {
    const keys = [['a'], ['b']] as const
    await store.commit({
      tenant: null,
      puts: keys.map(([name]) => ({ in: settings.name, row: { name, value: 1 }, was: null })),
    })
    const [a, b] = await store.read(
      null,
      keys.map((key) => ({ get: settings.name, key })),
    )
    const outcomes = await Promise.all(
      [
        { mine: a, other: keys[1], name: 'a' },
        { mine: b, other: keys[0], name: 'b' },
      ].map(({ mine, other, name }) =>
        store.commit({
          tenant: null,
          checks: [{ in: settings.name, key: other, version: 1 }],
          puts: [{ in: settings.name, row: { name, value: 0 }, was: mine?.rows[0] ?? null }],
        }),
      ),
    )
    expectEqual(outcomes.filter(({ committed }) => committed).length, 1, 'sets committed')
  })

  fresh('a malformed set among many fails alone', async (store) => {
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        store.commit({
          tenant: null,
          puts: [
            { in: settings.name, row: { name: `s${at}`, value: at === 7 ? 0.5 : at }, was: null },
          ],
          appends: [{ log: 'journal', partition: 't1', entry: Uint8Array.of(at) }],
        }),
      ),
    )
    expectEqual(
      settled.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])),
      [7],
      'sets that failed',
    )
    const [found] = await store.read(null, [
      { log: 'journal', partition: 't1', after: 0, take: 100 },
    ])
    expectEqual(found?.total, 19, 'entries of the sets that did not fail')
  })

  fresh('a set that fails inside the commit fails alone', async (store) => {
    const most = Number.MAX_SAFE_INTEGER
    await store.commit({ tenant: null, adds: [{ counter: 'full', delta: most }] })
    const settled = await Promise.allSettled(
      Array.from({ length: 9 }, (_, at) =>
        store.commit({
          tenant: null,
          puts: [{ in: settings.name, row: { name: `s${at}`, value: at }, was: null }],
          // The sum is known inside the commit alone.
          adds: [
            { counter: 'all', delta: 1 },
            { counter: at === 4 ? 'full' : 'other', delta: 1 },
          ],
        }),
      ),
    )
    expectEqual(
      settled.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])),
      [4],
      'sets that failed',
    )
    const [total, there] = await store.read(null, [
      { counter: 'all' },
      { get: settings.name, key: ['s4'] },
    ])
    expectEqual([total?.total, there?.rows], [8, []], 'what the others counted and it left')
  })

  fresh('puts are judged in their order: a name may be handed on within a set', async (store) => {
    await store.commit({
      tenant: null,
      puts: [{ in: notes.name, row: note('a', { label: 'mine' }), was: null }],
    })
    const was = { row: note('a', { label: 'mine' }), version: 1, leasedBy: null }
    const give = { in: notes.name, row: note('a', { label: 'other' }), was }
    const take = { in: notes.name, row: note('b', { label: 'mine' }), was: null }
    expectEqual(
      await store.commit({ tenant: null, puts: [take, give] }),
      {
        committed: false,
        conflicts: [{ kind: 'unique', in: 'notes', name: 'label', key: ['t1', 'a'] }],
      },
      'taken before it is given',
    )
    expectEqual(
      await store.commit({ tenant: null, puts: [give, take] }),
      { committed: true, ranges: [] },
      'given before it is taken',
    )
  })

  fresh('versions rise by one with each write and each claim', async (store) => {
    await store.commit({
      tenant: null,
      puts: [{ in: jobs.name, row: job('l', 1), was: null, leasedBy: 'maker' }],
    })
    const get = async () =>
      (await store.read(null, [{ get: jobs.name, key: ['l', 1] }]))[0]?.rows[0]
    expectEqual(await get(), { row: job('l', 1), version: 1, leasedBy: 'maker' }, 'when new')
    await store.claim({
      in: jobs.name,
      asks: [{ lane: 'l', take: 1 }],
      now: 1,
      leaseUntil: 5,
      owner: 'two',
    })
    const claimed = { row: job('l', 1, { due: 5, claims: 1 }), version: 2, leasedBy: 'two' }
    expectEqual(await get(), claimed, 'once claimed')
    const row = job('l', 1, { due: null, claims: 1, result: 'done' })
    await store.commit({ tenant: null, puts: [{ in: jobs.name, row, was: claimed }] })
    expectEqual(await get(), { row, version: 3, leasedBy: null }, 'once settled')
  })
}
