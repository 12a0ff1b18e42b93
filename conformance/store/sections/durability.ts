import type { Store } from '@countersign/core/ports'
import { expect, expectEqual, expectRejection } from '../../assert.ts'
import { jobs, notes, settings } from '../collections.ts'
import { everything } from '../everything.ts'
import { createStoreModel } from '../model.ts'
import { job, note, type Section } from '../section.ts'

const utf8 = new TextEncoder()

/** What was told committed outlives the process; what was shredded does not; what is closed stays closed. */
export function durability({ fresh, closing, options }: Section): void {
  const reopened = async (store: Store, run: (again: Store) => Promise<void>) => {
    const again = await options.reopen?.(store)
    expect(again !== undefined, 'expected a store from reopen, got none')
    try {
      await run(again)
    } finally {
      await again.close()
    }
  }

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
    'hundreds of rows, entries and counters are there after a restart',
    async (store) => {
      const model = createStoreModel()
      const sets = Array.from({ length: 150 }, (_, at) => ({
        tenant: null,
        puts: [
          { in: settings.name, row: { name: `s${at}`, value: at }, was: null },
          { in: notes.name, row: note(`n${at}`, { label: `${at}` }), was: null },
          { in: notes.name, row: note(`n${at}`, { tenantId: 't2' }), was: null },
        ],
        adds: [{ counter: 'all', delta: at }],
        appends: [0, 1, 2].map((part) => ({
          log: 'journal',
          partition: part ? 't1' : 't2',
          entry: Uint8Array.of(at, part),
        })),
      }))
      for (const set of sets) {
        expectEqual(await store.commit(set), { committed: true, ranges: [] }, 'a set')
        model.commit(set)
      }
      await reopened(store, async (again) =>
        expectEqual(await everything(again, model), [], 'what a restart changed'),
      )
    },
    'durability',
  )

  closing(
    'what fences and binds does so after a restart',
    async (store) => {
      const model = createStoreModel()
      const set = {
        tenant: null,
        puts: [
          { in: notes.name, row: note('a', { label: 'x' }), was: null },
          ...['l', 'm'].map((lane) => ({ in: jobs.name, row: job(lane, 1), was: null })),
        ],
      }
      const claim = (owner: string, now: number) => ({
        in: jobs.name,
        asks: [{ lane: 'l', take: 1 }],
        now,
        leaseUntil: now + 9,
        owner,
      })
      await store.commit(set)
      model.commit(set)
      const [before] = await store.claim(claim('one', 1))
      model.claim(claim('one', 1))
      await reopened(store, async (again) => {
        const next = [{ in: notes.name, row: note('b', { label: 'x' }), was: null }]
        expectEqual(
          await again.commit({ tenant: null, puts: next }),
          model.commit({ tenant: null, puts: next }),
          'a name that is taken',
        )
        expectEqual(await again.claim(claim('two', 9)), [], 'a claim while the lease lasts')
        const scan = { in: jobs.name, now: 10, after: '', take: 9 }
        expectEqual(await again.lanes(scan), model.lanes(scan), 'lanes')
        expectEqual(await again.nextDue(scan), model.nextDue(jobs.name), 'next due')
        expectEqual(await again.claim(claim('two', 10)), model.claim(claim('two', 10)), 'a claim')
        expect(before !== undefined, 'expected a row of the claim before the restart, got none')
        const late = {
          tenant: null,
          puts: [{ in: jobs.name, row: { ...(before.row as object), due: null }, was: before }],
        }
        expectEqual(await again.commit(late), model.commit(late), 'a late settle')
        expectEqual(await everything(again, model), [], 'the store after it')
      })
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
    'bytes of rows that a range took or a write replaced are in no file',
    async (store) => {
      const marker = 'shred-me-too-0123456789'
      const row = (at: number) =>
        note(`n${at}`, { content: utf8.encode(marker.repeat(300)), tags: [`${marker} ${at}`] })
      const count = 40
      const puts = Array.from({ length: count }, (_, at) => ({
        in: notes.name,
        row: row(at),
        was: null,
      }))
      await store.commit({ tenant: null, puts })
      await store.commit({
        tenant: null,
        puts: Array.from({ length: count / 2 }, (_, at) => ({
          in: notes.name,
          row: note(`n${at}`, { label: `plain ${at}` }),
          was: { row: row(at), version: 1, leasedBy: null },
        })),
        ranges: [{ in: notes.name, where: [['label', '=', null]], after: null, window: count }],
      })
      await store.scrub()
      const files = (await options.dump?.(store)) ?? []
      const holding = files.filter((file) => contains(file, utf8.encode(marker))).length
      expectEqual(holding, 0, 'files that still hold the marker')
      const [left] = await store.read(null, [
        { list: notes.name, where: [], by: 'key', newest: false, skip: 0, take: 0, count: true },
      ])
      expectEqual(left?.total, count / 2, 'rows left')
    },
    'shredding',
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
