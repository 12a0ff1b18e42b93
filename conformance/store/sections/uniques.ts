import type { ChangeSet } from '@countersign/core/ports'
import { expectEqual } from '../../assert.ts'
import { notes } from '../collections.ts'
import { note, type Section } from '../section.ts'

/** Unique rules, plain and conditional, with conflicts that name the row in the way. */
export function uniques({ fresh }: Section): void {
  fresh('a unique value is held once in the whole service', async (store) => {
    const put = (tenantId: string, noteId: string, label: string | null) =>
      store.commit({
        tenant: tenantId,
        puts: [{ in: notes.name, row: note(noteId, { tenantId, label }), was: null }],
      })
    const ok = { committed: true, ranges: [] }
    const broken = (key: readonly [string, string]) => ({
      committed: false,
      conflicts: [{ kind: 'unique', in: 'notes', name: 'label', key }],
    })
    expectEqual(await put('t1', 'a', 'x'), ok, 'the first')
    expectEqual(await put('t1', 'b', 'x'), broken(['t1', 'a']), 'the same for the same tenant')
    expectEqual(await put('t2', 'c', 'x'), broken(['t2', 'c']), 'the same for another tenant')
    expectEqual(await put('t2', 'c', 'X'), ok, 'another case of letters')
    expectEqual(await put('t1', 'b', null), ok, 'null')
    expectEqual(await put('t1', 'd', null), ok, 'null again')
  })

  fresh(
    'of 30 that take one name at once one gets it, and the others learn its key',
    async (store) => {
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, at) =>
          store.commit({
            tenant: null,
            puts: [{ in: notes.name, row: note(`n${at}`, { label: 'x' }), was: null }],
          }),
        ),
      )
      const winners = outcomes.flatMap(({ committed }, at) => (committed ? [at] : []))
      expectEqual(winners.length, 1, 'sets committed')
      const lost = {
        committed: false,
        conflicts: [{ kind: 'unique', in: 'notes', name: 'label', key: ['t1', `n${winners[0]}`] }],
      }
      for (const [at, outcome] of outcomes.entries())
        if (at !== winners[0]) expectEqual(outcome, lost, 'the outcome of a loser')
    },
  )

  fresh('of 30 updates that make a rule bind at once one is committed', async (store) => {
    const closed = (at: number) => note(`n${at}`, { rank: 7, state: 'closed' })
    await store.commit({
      tenant: null,
      puts: Array.from({ length: 30 }, (_, at) => ({ in: notes.name, row: closed(at), was: null })),
    })
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        store.commit({
          tenant: 't1',
          puts: [
            {
              in: notes.name,
              row: { ...closed(at), state: 'open' },
              was: { row: closed(at), version: 1, leasedBy: null },
            },
          ],
        }),
      ),
    )
    expectEqual(outcomes.filter(({ committed }) => committed).length, 1, 'updates committed')
    const list = { list: notes.name, where: [['state', '=', 'open']] as const, by: 'key' }
    const [open] = await store.read(null, [
      { ...list, newest: false, skip: 0, take: 0, count: true },
    ])
    expectEqual(open?.total, 1, 'rows that are open')
  })

  fresh('a value is free once its row lets go of it, and not before', async (store) => {
    const ok = { committed: true, ranges: [] }
    const make = (noteId: string, label: string | null) => ({
      in: notes.name,
      row: note(noteId, { label }),
      was: null,
    })
    const seen = (noteId: string, label: string | null, version = 1) => ({
      row: note(noteId, { label }),
      version,
      leasedBy: null,
    })
    const taken = (noteId: string) => ({
      committed: false,
      conflicts: [{ kind: 'unique', in: 'notes', name: 'label', key: ['t1', noteId] }],
    })
    const commit = (set: Omit<ChangeSet, 'tenant'>) => store.commit({ tenant: null, ...set })
    const removed = (noteId: string, version: number) => ({
      in: notes.name,
      key: ['t1', noteId] as const,
      version,
    })
    await commit({ puts: [make('a', 'one'), make('b', 'two'), make('c', 'three')] })
    expectEqual(await commit({ puts: [make('d', 'two')] }), taken('b'), 'while it is held')
    const renamed = { in: notes.name, row: note('a', { label: 'four' }), was: seen('a', 'one') }
    expectEqual(await commit({ puts: [renamed] }), ok, 'a row that takes another value')
    expectEqual(await commit({ puts: [make('d', 'one')] }), ok, 'the value that it gave up')
    expectEqual(
      await commit({ removes: [removed('b', 1)], puts: [make('e', 'two')] }),
      ok,
      'the value of a row that the same set removes',
    )
    await commit({
      ranges: [{ in: notes.name, where: [['label', '=', 'three']], after: null, window: 9 }],
    })
    expectEqual(await commit({ puts: [make('f', 'three')] }), ok, 'that of a row in a range')
    expectEqual(
      await commit({
        puts: [{ in: notes.name, row: note('f', { label: 'two' }), was: seen('f', 'three') }],
      }),
      taken('e'),
      'an update that takes a held value',
    )
    expectEqual(
      await commit({ puts: [make('g', 'same'), make('h', 'same')] }),
      taken('g'),
      'two rows of one set',
    )
    const same = {
      in: notes.name,
      row: note('f', { label: 'three', rank: 5 }),
      was: seen('f', 'three'),
    }
    expectEqual(await commit({ puts: [same] }), ok, 'a row that keeps its own value')
  })

  fresh('1,000 values that differ somewhere are different', async (store) => {
    const start = 'a long beginning that all share '.repeat(8)
    const labels = [
      ...Array.from({ length: 994 }, (_, at) => `${start}${at}`),
      ...['value', 'Value', 'value ', ' value', 'valu\u00e9', 'value\u0301'],
    ]
    const puts = labels.map((label, at) => ({
      in: notes.name,
      row: note(`n${at}`, { label }),
      was: null,
    }))
    expectEqual(
      await store.commit({ tenant: null, puts }),
      { committed: true, ranges: [] },
      'the outcome',
    )
    for (const [at, label] of [...labels.entries()].filter(([one]) => one % 90 === 89))
      expectEqual(
        await store.commit({
          tenant: null,
          puts: [{ in: notes.name, row: note('again', { label }), was: null }],
        }),
        {
          committed: false,
          conflicts: [{ kind: 'unique', in: 'notes', name: 'label', key: ['t1', `n${at}`] }],
        },
        `value number ${at + 1} once more`,
      )
  })

  fresh('a conditional rule binds the rows of its condition alone', async (store) => {
    const put = (noteId: string, state: string, rank: number | null, version = 0) =>
      store.commit({
        tenant: 't1',
        puts: [
          {
            in: notes.name,
            row: note(noteId, { state, rank }),
            was: version
              ? { row: note(noteId, { state: 'closed', rank }), version, leasedBy: null }
              : null,
          },
        ],
      })
    const ok = { committed: true, ranges: [] }
    const broken = {
      committed: false,
      conflicts: [{ kind: 'unique', in: 'notes', name: 'openRank', key: ['t1', 'a'] }],
    }
    expectEqual(await put('a', 'open', 1), ok, 'the first that is open')
    expectEqual(await put('b', 'closed', 1), ok, 'one that is closed')
    expectEqual(await put('c', 'open', 1), broken, 'the second that is open')
    expectEqual(await put('b', 'open', 1, 1), broken, 'one that would become open')
    expectEqual(await put('d', 'open', null), ok, 'open, without a value')
    expectEqual(await put('e', 'open', null), ok, 'open, without a value again')
    expectEqual(
      await store.commit({
        tenant: 't2',
        puts: [
          { in: notes.name, row: note('a', { tenantId: 't2', state: 'open', rank: 1 }), was: null },
        ],
      }),
      ok,
      "the same in another tenant, whose column is the rule's too",
    )
  })
}
