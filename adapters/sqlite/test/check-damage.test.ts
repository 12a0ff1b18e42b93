import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { collections, logs } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { checkDatabase, openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { scratch } from './scratch.ts'

const name = scratch()

/** A row of any collection; its texts can be found in the file. */
function rowOf({ name: table, columns, bytes }: Collection, number: number): object {
  const values = Object.entries(columns).map(([column, type]) => [
    column,
    type === 'int' ? number : `${table}-${column}-${number}`,
  ])
  const body = { filling: `a text of row ${number}`, deep: { numbers: [1, 2.5, null, true] } }
  return { ...Object.fromEntries(values), ...body, ...(bytes && { [bytes]: new Uint8Array([7]) }) }
}

/** A database with rows in every table that the service has. */
async function whole(): Promise<string> {
  const file = name('whole.db')
  const store = openSqliteStore({ file, collections, logs })
  for (const collection of collections)
    await store.commit({
      tenant: null,
      puts: [1, 2, 3].map((number) => ({
        in: collection.name,
        row: rowOf(collection, number),
        was: null,
      })),
      adds: [{ counter: 'all', delta: 1 }],
      appends: logs.slice(0, 1).map((log) => ({
        log: log.name,
        partition: 'ten_1',
        entry: Uint8Array.of(1),
      })),
    })
  await store.close()
  // Leaves no copies of rows in free space, where damage would be none.
  const raw = new Database(file)
  raw.exec('VACUUM')
  raw.close()
  return file
}

interface Damage {
  readonly kind: string
  /** Answers what must be named. */
  readonly make: (file: string, collection: Collection, draw: number) => string
}

/** Changes the schema or the rows as SQL can. */
const bySql =
  (sql: (collection: Collection, draw: number) => string, named?: string) =>
  (file: string, collection: Collection, draw: number): string => {
    const raw = new Database(file)
    raw.exec(sql(collection, draw))
    raw.close()
    return named ?? collection.name
  }

/** Makes a byte of one occurrence of a text one that no text has. */
function garble(file: string, text: string, draw: number): void {
  const bytes = readFileSync(file)
  const places: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at)
  assert.ok(places.length > 0, text)
  bytes[(places[draw % places.length] ?? 0) + (draw % text.length)] = 0xff
  writeFileSync(file, bytes)
}

const indexOf = ({ name: table, indexes, queue }: Collection): string | null =>
  queue ? `${table}_queue_due` : (Object.keys(indexes).map((by) => `${table}_${by}`)[0] ?? null)

const damages: readonly Damage[] = [
  {
    kind: 'body cut',
    make: bySql(
      ({ name: table }, draw) =>
        `UPDATE "${table}" SET _body = substr(_body, 1, ${1 + (draw % 20)})`,
    ),
  },
  {
    kind: 'body byte',
    make: bySql(({ name: table }, draw) => {
      const at = 1 + (draw % 20)
      return `UPDATE "${table}" SET _body = CAST(substr(_body, 1, ${at}) || x'c1' || substr(_body, ${at + 2}) AS BLOB)`
    }),
  },
  {
    kind: 'key byte',
    make: (file, { name: table, key, columns }, draw) => {
      const texts = key.filter((column) => columns[column] === 'text')
      const column = texts[draw % texts.length]
      if (column === undefined)
        return bySql(() => 'PRAGMA user_version = 9', 'user_version')(file, {} as never, 0)
      garble(file, `${table}-${column}-${1 + (draw % 3)}`, draw)
      return table
    },
  },
  {
    kind: 'index dropped',
    make: (file, collection, draw) => {
      const index = indexOf(collection)
      if (index === null)
        return bySql(() => 'PRAGMA user_version = 0', 'user_version')(file, collection, draw)
      return bySql(() => `DROP INDEX "${index}"`, index)(file, collection, draw)
    },
  },
  {
    kind: 'index replaced',
    make: bySql(({ name: table, key }) => `CREATE INDEX mine ON "${table}" ("${key[0]}")`, 'mine'),
  },
  {
    kind: 'trigger',
    make: bySql(
      ({ name: table }) =>
        `CREATE TRIGGER mine AFTER UPDATE ON "${table}" BEGIN DELETE FROM "${table}"; END`,
    ),
  },
  { kind: 'view', make: bySql(() => 'CREATE VIEW mine AS SELECT 1', 'mine') },
  { kind: 'foreign table', make: bySql(() => 'CREATE TABLE mine (a)', 'mine') },
  {
    kind: 'user_version',
    make: bySql((_, draw) => `PRAGMA user_version = ${2 + draw}`, 'user_version'),
  },
  { kind: 'table', make: bySql(({ name: table }) => `DROP TABLE "${table}"`) },
  {
    kind: 'column',
    make: bySql(({ name: table }) => `ALTER TABLE "${table}" DROP COLUMN _leasedBy`),
  },
  { kind: 'version', make: bySql(({ name: table }) => `UPDATE "${table}" SET _version = 0`) },
]

test('a check finds and names damage of any kind in any table, and throws nothing', async () => {
  const file = await whole()
  const sound = checkDatabase(file, { collections })
  assert.deepEqual(sound.problems, [])
  const copy = name('damaged.db')
  for (const { kind, make } of damages)
    fc.assert(
      fc.property(fc.constantFrom(...collections), fc.nat(1_000), (collection, draw) => {
        copyFileSync(file, copy)
        const named = make(copy, collection, draw)
        const { problems } = checkDatabase(copy, { collections })
        assert.ok(
          problems.some((problem) => problem.includes(named)),
          `${kind} of ${collection.name}: ${problems.join('; ')}`,
        )
      }),
      { numRuns: 4 },
    )
})

test('a check names each table whose bodies are damaged, with a key', async () => {
  const file = await whole()
  for (const { name: table } of collections)
    bySql(() => `UPDATE "${table}" SET _body = x'c1'`)(file, {} as never, 0)
  const { problems } = checkDatabase(file, { collections })
  for (const { name: table } of collections)
    assert.ok(
      problems.some((each) => each.startsWith(`table ${table}: row [`)),
      `${table}: ${problems.join('; ')}`,
    )
})

test('a check tells a file that is no database, and damaged pages, without an exception', async () => {
  const file = await whole()
  const sound = readFileSync(file)
  for (const at of [0, 4_096, 4_096 * 9, sound.length >> 1]) {
    const bytes = Buffer.from(sound)
    bytes.fill(0xee, at, at + 4_096)
    writeFileSync(file, bytes)
    assert.ok(checkDatabase(file, { collections }).problems.length > 0, `page at ${at}`)
  }
  writeFileSync(`${file}.mark`, 'no mark')
  writeFileSync(file, sound)
  assert.match(checkDatabase(file, { collections }).problems.join(), /is no high-water mark/)
})
