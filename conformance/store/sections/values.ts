import { expect, expectEqual, expectRejection } from '../../assert.ts'
import { jobs, type Note, notes, settings } from '../collections.ts'
import { job, note, type Section } from '../section.ts'

/** What goes in comes out, and what can't be kept is refused with a reason. */
export function values({ fresh, options }: Section): void {
  const rows: Readonly<Record<string, Note>> = {
    'empty bytes': note('a', { content: new Uint8Array(0) }),
    'every byte': note('a', { content: Uint8Array.from({ length: 256 }, (_, at) => at) }),
    'bytes of a part of a buffer': note('a', { content: new Uint8Array(9).fill(7).subarray(2, 5) }),
    'more than a megabyte': note('a', { content: new Uint8Array(2 ** 20 + 1).fill(5) }),
    'a large body': note('a', { tags: Array.from({ length: 9_000 }, (_, at) => `tag ${at}`) }),
    'long text': note('a', { applicationId: 'x'.repeat(600), label: 'y'.repeat(600) }),
    'text with blanks at its ends': note('a', { label: ' \t text \n ', applicationId: ' ' }),
    'text in the form that it has': note('a', { label: 'a\u0301', applicationId: '\u00e1' }),
    zero: note('a', { rank: 0 }),
    'bytes in the body': note('a', {
      detail: { seen: true, blob: Uint8Array.of(0, 255), size: 1.5 },
    }),
    'no bytes': note('a'),
    'integers up to 2^53': note('a', { rank: Number.MAX_SAFE_INTEGER }),
    'integers down to -2^53': note('a', { rank: Number.MIN_SAFE_INTEGER }),
    'empty text': note('a', { label: '', applicationId: '' }),
    'text of every plane': note('a', { label: '\u0001\u007f\u0080\ud7ff\ue000\uffff\u{10ffff}' }),
    'text like SQL': note('a', { label: "'; DROP TABLE notes; --", tags: ['"', "'", '\\'] }),
    'numbers of every kind in the body': note('a', {
      detail: { seen: false, blob: new Uint8Array(0), size: 5e-324 },
    }),
  }
  for (const [what, row] of Object.entries(rows))
    fresh(`keeps ${what}`, async (store) => {
      const outcome = await store.commit({
        tenant: 't1',
        puts: [{ in: notes.name, row, was: null }],
      })
      expectEqual(outcome, { committed: true, ranges: [] }, 'the outcome')
      const [found] = await store.read('t1', [{ get: notes.name, key: ['t1', 'a'] }])
      expectEqual(found?.rows[0], { row, version: 1, leasedBy: null }, 'the row')
      const other = note('a', { label: 'other', tags: ['t'] })
      const was = found?.rows[0] ?? null
      await store.commit({ tenant: 't1', puts: [{ in: notes.name, row: other, was }] })
      const [after] = await store.read('t1', [{ get: notes.name, key: ['t1', 'a'] }])
      expectEqual(after?.rows[0], { row: other, version: 2, leasedBy: null }, 'the row after')
    })

  fresh('members that are undefined are dropped', async (store) => {
    const detail = { seen: true, blob: new Uint8Array(0), size: 1, more: undefined }
    const row = { ...note('a'), detail, extra: undefined }
    await store.commit({ tenant: null, puts: [{ in: notes.name, row, was: null }] })
    const [found] = await store.read(null, [{ get: notes.name, key: ['t1', 'a'] }])
    const { more: _, ...kept } = detail
    expectEqual(found?.rows[0]?.row, { ...note('a'), detail: kept }, 'the row')
  })

  fresh('what is malformed is refused with a reason, and nothing of it written', async (store) => {
    const put = (row: object, name = notes.name) => ({ puts: [{ in: name, row, was: null }] })
    const { label: _, ...unlabelled } = note('a')
    const sets: Readonly<Record<string, object>> = {
      'NUL in text': put(note('a', { label: 'a\0b' })),
      'half a surrogate pair': put(note('a', { label: '\ud800' })),
      'an integer of 2^53': put(note('a', { rank: 2 ** 53 })),
      'a fraction': put(note('a', { rank: 0.5 })),
      NaN: put(note('a', { rank: Number.NaN })),
      'text for an integer': put({ ...note('a'), rank: '1' }),
      'an integer for text': put({ ...note('a'), label: 1 }),
      'a boolean for a column': put({ ...note('a'), label: true }),
      'a column left out': put(unlabelled),
      'null in a key': put({ ...note('a'), noteId: null }),
      'text for bytes': put({ ...note('a'), content: 'text' }),
      'an unknown collection': put(note('a'), 'unknown'),
      'the name of an object member': put(note('a'), 'constructor'),
      'one key twice': { puts: [...put(note('a')).puts, ...put(note('a')).puts] },
      'a put whose key moves': {
        puts: [
          { in: notes.name, row: note('a'), was: { row: note('b'), version: 1, leasedBy: null } },
        ],
      },
      'a lease without a due time': {
        puts: [{ in: jobs.name, row: job('l', 1, { due: null }), was: null, leasedBy: 'me' }],
      },
      'a lease of no text': {
        puts: [{ in: jobs.name, row: job('l', 1), was: null, leasedBy: 7 }],
      },
      'a due row without a lane': put({ ...job('l', 1), lane: '' }, jobs.name),
      'a key of the wrong length': { checks: [{ in: notes.name, key: ['t1'], version: 0 }] },
      'a key of the wrong type': { checks: [{ in: jobs.name, key: ['l', '1'], version: 0 }] },
      'an unknown column': {
        ranges: [{ in: notes.name, where: [['tags', '=', 'x']], after: null, window: 1 }],
      },
      'a condition that null is less': {
        ranges: [{ in: notes.name, where: [['rank', '<', null]], after: null, window: 1 }],
      },
      'a window of none': { ranges: [{ in: notes.name, where: [], after: null, window: 0 }] },
      'an unknown log': {
        appends: [{ log: 'unknown', partition: 't1', entry: new Uint8Array(1) }],
      },
      'an entry of text': { appends: [{ log: 'journal', partition: 't1', entry: 'text' }] },
      'a fraction to add': { adds: [{ counter: 'all', delta: 0.5 }] },
    }
    for (const [what, set] of Object.entries(sets)) {
      const good = { in: settings.name, row: { name: 'x', value: 1 }, was: null }
      const given = set as { readonly puts?: readonly object[] }
      const error = await expectRejection(
        store.commit({ tenant: null, ...set, puts: [good, ...(given.puts ?? [])] } as never),
        what,
      )
      expect(
        'code' in error && error.code === 'malformed' && error.message.length > 20,
        `${what}: expected a StoreError with code malformed and a reason, got ${error}`,
      )
    }
    const list = {
      list: notes.name,
      where: [],
      by: 'key',
      newest: false,
      skip: 0,
      take: 1,
      count: false,
    }
    const reads: Readonly<Record<string, object>> = {
      'a read of an unknown collection': { get: 'unknown', key: ['x'] },
      'a list by an unknown index': { ...list, by: 'byColour' },
      'a list by the name of an object member': { ...list, by: 'toString' },
      'a list with a negative skip': { ...list, skip: -1 },
      'a condition with NUL': { ...list, where: [['label', '=', '\0']] },
      'a log that is unknown': { log: 'unknown', partition: 't1', after: 0, take: 1 },
    }
    for (const [what, read] of Object.entries(reads))
      await expectRejection(store.read(null, [read as never]), what)
    await expectRejection(store.lanes({ in: notes.name, now: 0, after: '', take: 1 }), 'no queue')
    await expectRejection(
      store.claim({ in: jobs.name, asks: [], now: 5, leaseUntil: 5, owner: 'me' }),
      'a lease that ends at once',
    )
    const [left] = await store.read(null, [{ get: settings.name, key: ['x'] }])
    expectEqual(left?.rows, [], 'what the refused sets left')
  })

  fresh(
    'the columns lie in the database as they were given',
    async (store) => {
      const row = note('a', { rank: -5, label: 'é', content: Uint8Array.of(1, 0) })
      await store.commit({ tenant: null, puts: [{ in: notes.name, row, was: null }] })
      const raw = await options.inspect?.(store, notes)
      const { tags: _, detail: __, content, ...columns } = row
      expectEqual(raw, [{ columns, bytes: content, version: 1, leasedBy: null }], 'the raw row')
    },
    'inspection',
  )
}
