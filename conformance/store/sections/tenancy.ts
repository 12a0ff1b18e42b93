import { expect, expectEqual, expectRejection } from '../../assert.ts'
import { jobs, notes, settings } from '../collections.ts'
import { job, note, type Section } from '../section.ts'

/** A tenant sees, checks, writes and removes its own rows alone; another's are as good as absent. */
export function tenancy({ fresh }: Section): void {
  fresh("another tenant's rows are absent from gets, lists and counts", async (store) => {
    await store.commit({
      tenant: null,
      puts: ['t1', 't2', 't2'].map((tenantId, at) => ({
        in: notes.name,
        row: note(`n${at}`, { tenantId, rank: at }),
        was: null,
      })),
    })
    const list = {
      list: notes.name,
      where: [],
      by: 'byLabel',
      newest: false,
      skip: 0,
      take: 9,
      count: true,
    }
    const reads = [{ get: notes.name, key: ['t2', 'n1'] as const }, list]
    const [got, listed] = await store.read('t1', reads)
    expectEqual(got, { rows: [], total: null }, "another tenant's row by its key")
    expectEqual([listed?.rows.length, listed?.total], [1, 1], 'the own rows and their count')
    const [there, all] = await store.read(null, reads)
    expectEqual([there?.rows.length, all?.total], [1, 3], 'what the system sees')
  })

  fresh("another tenant's row is version 0 to a check, a put and a remove", async (store) => {
    const row = job('l', 1, { tenantId: 't2' })
    await store.commit({ tenant: 't2', puts: [{ in: jobs.name, row, was: null }] })
    const key = ['l', 1] as const
    const conflict = {
      committed: false,
      conflicts: [{ kind: 'version', in: 'jobs', key: ['l', 1], now: 0 }],
    }
    const mine = job('l', 1)
    for (const set of [
      { checks: [{ in: jobs.name, key, version: 1 }] },
      { removes: [{ in: jobs.name, key, version: 1 }] },
      { puts: [{ in: jobs.name, row: mine, was: null }] },
      { puts: [{ in: jobs.name, row: mine, was: { row, version: 1, leasedBy: null } }] },
    ])
      expectEqual(await store.commit({ tenant: 't1', ...set }), conflict, 'the outcome')
    expectEqual(
      await store.commit({ tenant: 't1', checks: [{ in: jobs.name, key, version: 0 }] }),
      { committed: true, ranges: [] },
      'a check that it is absent',
    )
    const [found] = await store.read(null, [{ get: jobs.name, key }])
    expectEqual(found?.rows[0], { row, version: 1, leasedBy: null }, 'the row afterwards')
  })

  fresh("another tenant's key is no way to its row", async (store) => {
    const row = note('n', { tenantId: 't2' })
    await store.commit({ tenant: 't2', puts: [{ in: notes.name, row, was: null }] })
    const key = ['t2', 'n'] as const
    for (const set of [
      { checks: [{ in: notes.name, key, version: 1 }] },
      { removes: [{ in: notes.name, key, version: 1 }] },
    ])
      expectEqual(
        await store.commit({ tenant: 't1', ...set }),
        { committed: false, conflicts: [{ kind: 'version', in: 'notes', key, now: 0 }] },
        'the outcome',
      )
    const [found] = await store.read(null, [{ get: notes.name, key }])
    expectEqual(found?.rows[0], { row, version: 1, leasedBy: null }, 'the row afterwards')
  })

  fresh("a range takes none of another tenant's rows", async (store) => {
    await store.commit({
      tenant: null,
      puts: ['t1', 't2'].map((tenantId) => ({
        in: notes.name,
        row: note('n', { tenantId, applicationId: 'app' }),
        was: null,
      })),
    })
    const where = [['applicationId', '=', 'app']] as const
    expectEqual(
      await store.commit({
        tenant: 't2',
        ranges: [{ in: notes.name, where, after: null, window: 9 }],
      }),
      { committed: true, ranges: [{ removed: 1, next: null }] },
      'the outcome',
    )
    const [left] = await store.read(null, [{ get: notes.name, key: ['t1', 'n'] }])
    expectEqual(left?.rows.length, 1, "the other tenant's row")
  })

  fresh("a put of another tenant's row, or of the system's, is refused", async (store) => {
    for (const [what, attempt] of [
      [
        'a put',
        () =>
          store.commit({
            tenant: 't1',
            puts: [{ in: notes.name, row: note('a', { tenantId: 't2' }), was: null }],
          }),
      ],
      [
        'a system put',
        () =>
          store.commit({
            tenant: 't1',
            puts: [{ in: settings.name, row: { name: 'x', value: 1 }, was: null }],
          }),
      ],
      ['a system read', () => store.read('t1', [{ get: settings.name, key: ['x'] }])],
      [
        "another tenant's partition",
        () =>
          store.commit({
            tenant: 't1',
            appends: [{ log: 'history', partition: 't2', entry: Uint8Array.of(1) }],
          }),
      ],
      [
        "a read of another tenant's partition",
        () => store.read('t1', [{ log: 'history', partition: 't2', after: 0, take: 1 }]),
      ],
    ] as const) {
      const error = await expectRejection(attempt(), what)
      expect(
        'code' in error && error.code === 'foreign_tenant',
        `${what}: expected a StoreError with code foreign_tenant, got ${error}`,
      )
    }
  })
}
