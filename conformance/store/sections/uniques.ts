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
