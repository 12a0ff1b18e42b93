import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Collection, Found, Read } from '../../../base/ports/store.ts'
import { cursorLength } from '../../../kernel/ledger/limits.ts'
import {
  checkListQuery,
  countOf,
  gatherPage,
  type Listing,
  type ListQuery,
  type ListSource,
  listingOf,
} from '../../../kernel/ledger/listing.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { createMemoryStore } from '../../../testing/index.ts'

interface Note {
  readonly noteId: string
  readonly tenantId: string
}

const notes: Collection<Note> = {
  name: 'notes',
  key: ['noteId'],
  columns: { noteId: 'text', tenantId: 'text' },
  indexes: { byTenant: ['tenantId'] },
  tenant: 'tenantId',
  purge: { keep: 'a test' },
  retain: { keep: 'made by a test' },
}

const nameOf = (at: number) => `note_${String(at).padStart(4, '0')}`

/** A tenant's notes between another's. */
async function shelf(count: number) {
  const store = createMemoryStore({ collections: [notes], logs: [] })
  for (let at = 0; at < count; at++)
    for (const tenantId of ['ten_1', 'ten_2'])
      await store.commit({
        tenant: tenantId,
        puts: [put(notes, { noteId: `${nameOf(at)}_${tenantId}`, tenantId }, null)],
      })
  return store
}

type Shelf = Awaited<ReturnType<typeof shelf>>

async function open(
  store: Shelf,
  query: ListQuery,
  { piece = 4, newest = true, most = [] as number[] } = {},
): Promise<Listing<string>> {
  const source: ListSource<Note, string> = {
    collection: notes,
    where: [['tenantId', '=', 'ten_1']],
    by: 'byTenant',
    newest,
    cursor: 'noteId',
    piece,
    tell: (rows) => rows.map(({ row }) => row.noteId),
  }
  const read = async (reads: readonly Read[]): Promise<readonly Found[]> => {
    const found = await store.read('ten_1', reads)
    most.push(...found.map(({ rows }) => rows.length))
    return found
  }
  const [first] = await read([countOf(source)])
  return listingOf(source, query, first, read)
}

async function drain(listing: Listing<string>) {
  const rows: string[] = []
  for (;;) {
    const step = await listing.pieces.next()
    if (step.done) return { rows, next: step.value }
    rows.push(...step.value)
  }
}

const sizes = { count: fc.nat(30), limit: fc.integer({ min: 1, max: 12 }) }

/** All rows, put together of what cursors bring. */
async function scroll(
  store: Shelf,
  limit: number,
  options: Parameters<typeof open>[2],
  follow: (next: string | null) => string | null = (next) => next,
): Promise<readonly string[]> {
  const all: string[] = []
  for (let after: string | null = null, turns = 0; turns < 100; turns++) {
    const { rows, next } = await drain(await open(store, { after, limit }, options))
    assert.ok(rows.length <= limit)
    all.push(...rows)
    if (next === null) return all
    assert.equal(rows.length, limit, 'a list that goes on fills its part')
    after = follow(next)
  }
  return all
}

test('parts behind cursors put together are the whole list, each row once, whatever the pieces', async () => {
  const property = (follow?: (next: string | null) => string | null) =>
    fc.asyncProperty(
      fc.record({ ...sizes, piece: fc.integer({ min: 1, max: 12 }), newest: fc.boolean() }),
      async ({ count, limit, piece, newest }) => {
        const store = await shelf(count)
        const names = Array.from({ length: count }, (_, at) => `${nameOf(at)}_ten_1`)
        const most: number[] = []
        const all = await scroll(store, limit, { piece, newest, most }, follow)
        assert.deepEqual(all, newest ? names.toReversed() : names)
        assert.ok(Math.max(...most) <= piece, `a read of ${Math.max(...most)} rows`)
      },
    )
  await fc.assert(property(), { numRuns: 60 })
  // A cursor that is off by one name loses rows or tells them twice.
  const off = (next: string | null) => next && `${next.slice(0, -1)}0`
  await assert.rejects(fc.assert(property(off), { numRuns: 200 }))
})

test('a page is what a cursor brings from the same place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...sizes, page: fc.integer({ min: 1, max: 5 }) }),
      async ({ count, limit, page }) => {
        const store = await shelf(count)
        const query = { page, pageSize: limit }
        const found = await gatherPage(await open(store, query), query)
        const names = Array.from({ length: count }, (_, at) => `${nameOf(at)}_ten_1`).toReversed()
        assert.deepEqual(found, {
          items: names.slice((page - 1) * limit, page * limit),
          totalCount: count,
          ...query,
          hasMore: page * limit < count,
        })
      },
    ),
    { numRuns: 60 },
  )
})

test('rows that come and go between two parts neither repeat nor hide one', async () => {
  const store = await shelf(10)
  const first = await drain(await open(store, { after: null, limit: 4 }))
  await store.commit({
    tenant: 'ten_1',
    puts: [put(notes, { noteId: 'note_9999', tenantId: 'ten_1' }, null)],
    removes: [{ in: 'notes', key: [first.rows[3] ?? ''], version: 1 }],
  })
  const second = await drain(await open(store, { after: first.next, limit: 4 }))
  assert.deepEqual(
    [...first.rows, ...second.rows],
    [9, 8, 7, 6, 5, 4, 3, 2].map((at) => `${nameOf(at)}_ten_1`),
  )
})

test('a part beyond the limits, or behind what is no cursor, is refused', () => {
  const parameters = (query: ListQuery) => {
    const checked = checkListQuery(query)
    return checked.ok ? [] : checked.refusal.errors?.map(({ parameter }) => parameter)
  }
  assert.deepEqual(parameters({ after: null, limit: 1 }), [])
  assert.deepEqual(parameters({ after: 'rc_1', limit: 100 }), [])
  assert.deepEqual(parameters({ after: null, limit: 0 }), ['limit'])
  assert.deepEqual(parameters({ after: 'a\0', limit: 101 }), ['limit', 'after'])
  assert.deepEqual(parameters({ after: '\ud800', limit: 1.5 }), ['limit', 'after'])
  assert.deepEqual(parameters({ after: 'x'.repeat(cursorLength + 1), limit: 1 }), ['after'])
  assert.deepEqual(parameters({ page: 0, pageSize: 1 }), ['page'])
})
