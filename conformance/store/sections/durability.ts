import { expect, expectEqual, expectRejection } from '../../assert.ts'
import { jobs, notes, settings } from '../collections.ts'
import { everything } from '../everything.ts'
import { createStoreModel } from '../model.ts'
import { job, note, type Section } from '../section.ts'

const utf8 = new TextEncoder()

/** What was told committed outlives the process; what was shredded does not; what is closed stays closed. */
export function durability({ fresh, closing, options }: Section): void {
  closing(
    'every kind of change is there after a restart',
    async (store) => {
      const model = createStoreModel()
      const set = {
        tenant: null,
        puts: [
          { in: notes.name, row: note('a', { content: Uint8Array.of(1), tags: ['x'] }), was: null },
          { in: jobs.name, row: job('l', 1), was: null, leasedBy: 'one' },
          { in: jobs.name, row: job('l', 2), was: null },
        ],
        adds: [{ counter: 'all', delta: 3 }],
        appends: [{ log: 'journal', partition: 't1', entry: utf8.encode('first') }],
      }
      const query = {
        in: jobs.name,
        asks: [{ lane: 'l', take: 1 }],
        now: 1,
        leaseUntil: 9,
        owner: 'two',
      }
      await store.commit(set)
      model.commit(set)
      await store.claim(query)
      model.claim(query)
      const again = await options.reopen?.(store)
      expect(again !== undefined, 'reopen gave no store')
      try {
        expectEqual(await everything(again, model), [], 'what a restart changed')
        const next = {
          tenant: null,
          appends: [{ log: 'journal', partition: 't1', entry: utf8.encode('second') }],
        }
        expectEqual(await again.commit(next), model.commit(next), 'a commit after the restart')
        expectEqual(await everything(again, model), [], 'the store after it')
      } finally {
        await again.close()
      }
    },
    'durability',
  )

  closing(
    'what was asked before close is done, what is asked after it is refused',
    async (store) => {
      const puts = [{ in: settings.name, row: { name: 'x', value: 1 }, was: null }]
      const asked = store.commit({ tenant: null, puts })
      const [outcome] = await Promise.all([asked, store.close()])
      expectEqual(outcome, { committed: true, ranges: [] }, 'the commit before close')
      await store.close()
      const query = { in: jobs.name, now: 0 }
      for (const attempt of [
        () => store.commit({ tenant: null, puts }),
        () => store.read(null, [{ get: settings.name, key: ['x'] }]),
        () => store.lanes({ ...query, after: '', take: 1 }),
        () => store.nextDue(query),
        () => store.claim({ ...query, asks: [], leaseUntil: 1, owner: 'me' }),
        () => store.scrub(),
      ]) {
        const error = await expectRejection(attempt(), `${attempt} after close`)
        expect('code' in error && error.code === 'closed', `expected the code closed, got ${error}`)
      }
    },
  )

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
      } finally {
        await other.close()
      }
    },
    'sharing',
  )

  fresh(
    'once removed and scrubbed, bytes are in no file',
    async (store) => {
      const marker = 'shred-me-0123456789abcdef'
      const content = utf8.encode(marker.repeat(500))
      const row = note('a', { content, tags: [marker] })
      await store.commit({ tenant: null, puts: [{ in: notes.name, row, was: null }] })
      const holds = async () =>
        (await options.dump?.(store))?.some((file) => contains(file, utf8.encode(marker))) ?? false
      expect(await holds(), 'the marker is in no file even before it is removed')
      await store.commit({
        tenant: null,
        removes: [{ in: notes.name, key: ['t1', 'a'], version: 1 }],
      })
      await store.scrub()
      expect(!(await holds()), 'the marker is still in a file')
    },
    'shredding',
  )
}

function contains(file: Uint8Array, wanted: Uint8Array): boolean {
  const first = wanted[0] ?? 0
  for (let at = file.indexOf(first); at >= 0; at = file.indexOf(first, at + 1))
    if (wanted.every((byte, offset) => file[at + offset] === byte)) return true
  return false
}
