import type { Found, Versioned } from '@countersign/core/ports'
import { expectEqual } from '../../assert.ts'
import { notes, settings } from '../collections.ts'
import { note, type Section } from '../section.ts'

/** Orders, pages, and one snapshot for all the reads of a call. */
export function lists({ fresh }: Section): void {
  fresh('text is ordered by its bytes, not by UTF-16 units or a language', async (store) => {
    const ids = ['', ' ', '10', '9', 'B', 'a', 'a\u0301', 'b', 'é', '\ufffd', '\u{1f600}']
    await store.commit({
      tenant: null,
      puts: [...ids].reverse().map((id) => ({ in: notes.name, row: note(id), was: null })),
    })
    for (const newest of [false, true]) {
      const read = {
        list: notes.name,
        where: [],
        by: 'key',
        newest,
        skip: 0,
        take: 99,
        count: false,
      }
      const [found] = await store.read('t1', [read])
      expectEqual(
        found?.rows.map(({ row }) => (row as { noteId: string }).noteId),
        newest ? [...ids].reverse() : ids,
        newest ? 'ids backwards' : 'ids',
      )
    }
  })

  fresh('pages of an index, in either direction, give each row once', async (store) => {
    await store.commit({
      tenant: null,
      puts: Array.from({ length: 147 }, (_, at) => ({
        in: notes.name,
        row: note(`n${(at * 31) % 147}`, { rank: at % 5 === 0 ? null : at % 4 }),
        was: null,
      })),
    })
    for (const newest of [false, true]) {
      const list = async (skip: number, take: number, count: boolean | number = true) => {
        const read = { list: notes.name, where: [], by: 'byRank', newest, skip, take, count }
        return (await store.read('t1', [read]))[0]
      }
      const whole = await list(0, 200)
      expectEqual(whole?.total, 147, 'the count')
      for (const [most, told] of [
        [1, 1],
        [146, 146],
        [147, 147],
        [148, 147],
      ] as const)
        expectEqual((await list(0, 0, most))?.total, told, `a count up to ${most}`)
      const paged = []
      for (let skip = 0; skip < 160; skip += 10) {
        const page = await list(skip, 10)
        expectEqual(page?.total, 147, 'the count of a page')
        paged.push(...(page?.rows ?? []))
      }
      expectEqual(paged, whole?.rows, 'the pages together')
    }
  })

  fresh('all reads of a call see one snapshot', async (store) => {
    const put = (value: number) =>
      store.commit({
        tenant: null,
        adds: [{ counter: 'all', delta: 1 }],
        puts: [{ in: notes.name, row: note(`n${value}`), was: null }],
        appends: [{ log: 'journal', partition: 't1', entry: Uint8Array.of(value) }],
      })
    const writing = (async () => {
      for (let round = 0; round < 20; round++)
        await Promise.all([0, 1, 2].map((at) => put(round * 3 + at)))
    })()
    try {
      for (let round = 0; round < 30; round++) {
        const [total, log, rows] = await store.read(null, [
          { counter: 'all' },
          { log: 'journal', partition: 't1', after: 0, take: 0 },
          { list: notes.name, where: [], by: 'key', newest: false, skip: 0, take: 0, count: true },
        ])
        expectEqual([log?.total, rows?.total], [total?.total, total?.total], 'entries and rows')
      }
    } finally {
      await Promise.allSettled([writing])
    }
    await writing
  })

  fresh('each kind of read sees the same commits as the others of its call', async (store) => {
    const put = (value: number) => ({
      in: notes.name,
      row: note(`n${String(value).padStart(3, '0')}`, { rank: value }),
      was: null,
    })
    const row = (value: number) => ({ name: 'last', value })
    const first = row(-1)
    await store.commit({ tenant: null, puts: [{ in: settings.name, row: first, was: null }] })
    const rounds = 60
    const writing = (async () => {
      let was: Versioned = { row: first, version: 1, leasedBy: null }
      for (let value = 0; value < rounds; value++) {
        await store.commit({
          tenant: null,
          puts: [put(value), { in: settings.name, row: row(value), was }],
          adds: [{ counter: 'all', delta: 1 }],
          appends: [{ log: 'journal', partition: 't1', entry: Uint8Array.of(value) }],
        })
        was = { row: row(value), version: value + 2, leasedBy: null }
      }
    })()
    const list = { list: notes.name, where: [], by: 'byRank', skip: 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const [got, counter, log, entries, counted, rows, newest, again, last] = await store.read(
          null,
          [
            { get: settings.name, key: ['last'] },
            { counter: 'all' },
            { log: 'journal', partition: 't1', after: 0, take: 0 },
            { log: 'journal', partition: 't1', after: 0, take: rounds },
            { ...list, newest: false, take: 0, count: true },
            { ...list, newest: false, take: rounds, count: false },
            { ...list, newest: true, take: 1, count: true },
            { counter: 'all' },
            { get: settings.name, key: ['last'] },
          ],
        )
        const valueIn = (found: Found | undefined) =>
          (found?.rows[0]?.row as { value: number } | undefined)?.value
        const rank = (newest?.rows[0]?.row as { rank: number } | undefined)?.rank ?? -1
        expectEqual(
          {
            counter: counter?.total,
            log: log?.total,
            entries: entries?.rows.length,
            counted: counted?.total,
            rows: rows?.rows.length,
            newest: [newest?.total, rank + 1],
            again: again?.total,
            last: valueIn(last),
          },
          writesSeen((valueIn(got) ?? -2) + 1),
          'what the reads of one call saw',
        )
      }
    } finally {
      await Promise.allSettled([writing])
    }
    await writing
  })

  fresh('what a reader holds does not move with the store', async (store) => {
    const row = note('a', { tags: ['x'], content: Uint8Array.of(1) })
    await store.commit({ tenant: null, puts: [{ in: notes.name, row, was: null }] })
    const get = async () =>
      (await store.read(null, [{ get: notes.name, key: ['t1', 'a'] }]))[0]?.rows[0]
    const held = await get()
    const content = (held?.row as { content: Uint8Array } | undefined)?.content
    content?.fill(9)
    expectEqual((await get())?.row, row, 'the row after a reader wrote into its copy')
    const was = await get()
    await store.commit({
      tenant: null,
      puts: [{ in: notes.name, row: note('a'), was: was ?? null }],
    })
    expectEqual(was?.row, row, 'the copy after the row was written')
  })
}

/** What every read tells after so many writes. */
const writesSeen = (count: number) => ({
  counter: count,
  log: count,
  entries: count,
  counted: count,
  rows: count,
  newest: [count, count],
  again: count,
  last: count - 1,
})
