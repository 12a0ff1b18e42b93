import { expectEqual } from '../../assert.ts'
import { notes } from '../collections.ts'
import { note, type Section } from '../section.ts'

/** Purge and retention: bounded pieces, each of which says where the next begins. */
export function ranges({ fresh }: Section): void {
  fresh('a range removes piece by piece until none is left, and nothing else', async (store) => {
    await store.commit({
      tenant: null,
      puts: Array.from({ length: 25 }, (_, at) => ({
        in: notes.name,
        row: note(`n${String(at).padStart(2, '0')}`, {
          applicationId: at % 5 === 4 ? 'kept' : 'purged',
          tenantId: at % 2 ? 't1' : 't2',
        }),
        was: null,
      })),
    })
    const where = [['applicationId', '=', 'purged']] as const
    let after: Parameters<typeof piece>[0] = null
    const piece = async (from: readonly [string, ...string[]] | null) => {
      const outcome = await store.commit({
        tenant: null,
        ranges: [{ in: notes.name, where, after: from, window: 7 }],
      })
      return outcome.committed ? outcome.ranges[0] : undefined
    }
    const removed: (number | undefined)[] = []
    do {
      const done = await piece(after)
      removed.push(done?.removed)
      after = (done?.next ?? null) as typeof after
    } while (after !== null)
    expectEqual(removed, [7, 7, 6], 'rows removed by each piece')
    const list = { list: notes.name, where: [], by: 'key', newest: false, skip: 0, take: 99 }
    const [left] = await store.read(null, [{ ...list, count: true }])
    expectEqual(left?.total, 5, 'rows left')
  })

  fresh('a range begins behind its cursor, even where that row is gone', async (store) => {
    await store.commit({
      tenant: null,
      puts: ['a', 'b', 'd', 'e'].map((id) => ({ in: notes.name, row: note(id), was: null })),
    })
    const range = (after: string, window: number) =>
      store.commit({
        tenant: 't1',
        ranges: [{ in: notes.name, where: [], after: ['t1', after], window }],
      })
    expectEqual(
      await range('c', 1),
      { committed: true, ranges: [{ removed: 1, next: ['t1', 'd'] }] },
      'behind a key that never was',
    )
    expectEqual(
      await range('b', 2),
      { committed: true, ranges: [{ removed: 1, next: null }] },
      'behind the second',
    )
    expectEqual(
      await range('e', 2),
      { committed: true, ranges: [{ removed: 0, next: null }] },
      'behind all',
    )
  })
}
