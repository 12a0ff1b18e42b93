import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { collections, logs } from '@countersign/core'
import { list, put } from '@countersign/core/ledger'
import type { Collection } from '@countersign/core/ports'
import { openSqliteStore, type Upgrade } from '@countersign/sqlite'
import { scratchDirectory } from './processes/scratch.ts'

const all = collections as readonly unknown[] as readonly Collection[]

/** Columns and indexes that came after the first layout. */
const later: Readonly<Record<string, { columns: readonly string[]; indexes: readonly string[] }>> =
  {
    sessions: { columns: [], indexes: ['ofSubject'] },
    erasureRequests: { columns: [], indexes: ['byState', 'byScope'] },
    legalHolds: { columns: ['applicationId'], indexes: ['byApplication'] },
    keyRequests: {
      columns: ['applicationId', 'endedAt'],
      indexes: ['byApplication', 'byAge'],
    },
  }

function earlier(collection: Collection): Collection {
  const { columns, indexes } = later[collection.name] ?? { columns: [], indexes: [] }
  const without = <T>(of: Readonly<Record<string, T>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)))
  return {
    ...collection,
    columns: without(collection.columns, columns),
    indexes: without(collection.indexes, indexes),
    purge: { keep: 'as it was' },
    retain: { keep: 'as it was' },
  }
}

/** A row with something in each column that there was, and in members that became columns. */
function rowOf({ name, columns }: Collection): Record<string, unknown> {
  const values = Object.entries(columns).map(([column, type]) => [
    column,
    type === 'int' ? 7 : `${column}-1`,
  ])
  const row = { ...Object.fromEntries(values), note: 'in the body' }
  return name === 'keyRequests' ? { ...row, endedAt: undefined } : row
}

it('a database of an earlier layout gains its columns and indexes, with the rows that it has', async () => {
  const file = join(scratchDirectory(), 'earlier.sqlite')
  const changed = all.filter(({ name }) => name in later)
  assert.equal(changed.length, 4)
  const before = openSqliteStore({ file, collections: all.map(earlier), logs })
  const written = await before.commit({
    tenant: null,
    puts: changed.map((collection) => put(collection, rowOf(collection), null)),
  })
  assert.ok(written.committed)
  await before.close()

  const told: Upgrade[] = []
  const store = openSqliteStore({
    file,
    collections,
    logs,
    onUpgrade: (upgrade) => void told.push(upgrade),
  })
  assert.deepEqual(
    new Set(told[0]?.changes),
    new Set(
      Object.entries(later).flatMap(([name, { columns, indexes }]) => [
        ...columns.map((column) => `column ${column} of ${name}`),
        ...indexes.map((index) => `index ${name}_${index}`),
      ]),
    ),
  )
  for (const collection of changed)
    for (const by of later[collection.name]?.indexes ?? []) {
      const [first = ''] = collection.indexes[by] ?? []
      const { endedAt, ...row } = rowOf(collection)
      const value = row[first] ?? null
      if (value === null) continue
      const [found] = await store.read(null, [
        list(collection, { by, where: [[first, '=', value as string]], take: 2 }),
      ])
      const expected = collection.name === 'keyRequests' ? { ...row, endedAt: null } : row
      assert.deepEqual(
        found?.rows.map((each) => each.row),
        [expected],
        `${collection.name} by ${by}`,
      )
    }
  await store.close()
})
