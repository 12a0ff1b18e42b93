import { StoreError } from '@countersign/core/ports'
import { bodyEncoding } from './body-encoding.ts'
import type { SqliteDatabase } from './driver.ts'
import { isFault } from './errors.ts'
import { type Layout, list, marks, quote } from './layout.ts'
import { immediately, type SchemaSteps, takeSteps } from './schema-steps.ts'

/** In the header of a store's file. */
export const storeApplicationId = 0x43534731

/** The tables of a store that are no collections. */
const store: SchemaSteps = {
  applicationId: storeApplicationId,
  steps: [
    `CREATE TABLE _collections (name TEXT NOT NULL PRIMARY KEY, key TEXT NOT NULL) STRICT, WITHOUT ROWID;
     CREATE TABLE _counters (
       name TEXT NOT NULL PRIMARY KEY,
       value INTEGER NOT NULL CHECK (value BETWEEN -9007199254740991 AND 9007199254740991)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE _logs (
       log TEXT NOT NULL,
       partition TEXT NOT NULL,
       position INTEGER NOT NULL,
       entry BLOB NOT NULL,
       hash BLOB NOT NULL,
       PRIMARY KEY (log, partition, position)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE _probes (number INTEGER NOT NULL PRIMARY KEY, filling BLOB NOT NULL) STRICT;`,
  ],
}

/** How many steps the tables of a store have taken. */
export const storeSteps: number = store.steps.length

const incompatible = (message: string, cause?: unknown): StoreError =>
  new StoreError('incompatible', message, { cause })

/** Brings the file up to what is declared, in one transaction; a second process that starts meanwhile waits and finds it done. */
export function migrate(db: SqliteDatabase, layouts: readonly Layout[]): void {
  immediately(db, () => {
    takeSteps(db, store)
    checkCollections(db, layouts)
    for (const layout of layouts) {
      makeTable(db, layout)
      makeIndexes(db, layout)
    }
  })
}

/** A collection that the file has and nobody declares would never be purged. */
function checkCollections(db: SqliteDatabase, layouts: readonly Layout[]): void {
  const declared = new Map(
    layouts.map(({ collection }) => [collection.name, JSON.stringify(collection.key)]),
  )
  const found = db.prepare('SELECT name, key FROM _collections').raw().all() as [string, string][]
  for (const [name, key] of found) {
    const wanted = declared.get(name)
    if (wanted === undefined)
      throw incompatible(
        `the database holds collection ${name}, which is not declared: is it newer than this program?`,
      )
    if (wanted !== key)
      throw incompatible(
        `the key of collection ${name} is ${key} in the database, declared is ${wanted}`,
      )
  }
  const note = db.prepare(
    'INSERT INTO _collections (name, key) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  for (const each of declared) note.run(each)
}

function makeTable(db: SqliteDatabase, layout: Layout): void {
  const { collection, table, types } = layout
  const found = new Map(
    db.prepare('SELECT name, type FROM pragma_table_info(?)').raw().all([collection.name]) as [
      string,
      string,
    ][],
  )
  if (found.size === 0) {
    db.exec(layout.create)
    return
  }
  for (const [column, type] of found) {
    const wanted = types.get(column)
    if (!wanted)
      throw incompatible(
        `column ${column} of collection ${collection.name} is in the database and not declared: is it newer than this program?`,
      )
    if (wanted !== type)
      throw incompatible(
        `column ${column} of collection ${collection.name} is ${type} in the database, declared is ${wanted}`,
      )
  }
  const added = [...types].filter(([column]) => !found.has(column))
  for (const [column, type] of added)
    db.exec(`ALTER TABLE ${table} ADD COLUMN ${quote(column)} ${type}`)
  if (added.length)
    moveOutOfBodies(
      db,
      layout,
      added.map(([column]) => column),
    )
}

/** Members that become columns leave the bodies of the rows that have them. */
function moveOutOfBodies(db: SqliteDatabase, layout: Layout, added: readonly string[]): void {
  const { table, key } = layout
  const from = `FROM ${table} WHERE _body IS NOT NULL`
  const order = `ORDER BY ${list(key)} LIMIT 500`
  const first = db.prepare(`SELECT _body, ${list(key)} ${from} ${order}`).raw()
  const next = db
    .prepare(
      `SELECT _body, ${list(key)} ${from} AND (${list(key)}) > (${marks(key.length)}) ${order}`,
    )
    .raw()
  const write = db.prepare(
    `UPDATE ${table} SET _body = ?, ${added.map((column) => `${quote(column)} = ?`).join(', ')} WHERE (${list(key)}) = (${marks(key.length)})`,
  )
  let rows = first.all() as [Uint8Array, ...unknown[]][]
  while (rows.length) {
    for (const [body, ...at] of rows) {
      const members = { ...bodyEncoding.unpack(body) }
      if (!added.some((column) => Object.hasOwn(members, column))) continue
      const values = added.map((column) => members[column] ?? null)
      for (const column of added) delete members[column]
      write.run([Object.keys(members).length ? bodyEncoding.pack(members) : null, ...values, ...at])
    }
    rows = next.all(rows.at(-1)?.slice(1) ?? []) as typeof rows
  }
}

function makeIndexes(db: SqliteDatabase, { collection, indexes }: Layout): void {
  const found = new Map(
    db
      .prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
      )
      .raw()
      .all([collection.name]) as [string, string][],
  )
  for (const [name, sql] of found)
    if (indexes.get(name) !== sql) db.exec(`DROP INDEX ${quote(name)}`)
  for (const [name, sql] of indexes) {
    if (found.get(name) === sql) continue
    try {
      db.exec(sql)
    } catch (error) {
      if (isFault(error)) throw error
      throw incompatible(
        `the rows of collection ${collection.name} do not fit index ${name}: ${error instanceof Error ? error.message : error}`,
        error,
      )
    }
  }
}
