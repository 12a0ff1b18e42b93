import { StoreError } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'
import { isFault } from './errors.ts'
import { type Layout, list, marks, quote } from './layout.ts'
import { packBody, unpackBody } from './rows.ts'

/** Ours, in the file's header, so that another program's database is not taken for one of these. */
const applicationId = 0x43534731

/**
 * The tables that are not collections, step by step; a step that has been released is never changed. The
 * number of steps taken is the file's `user_version`.
 */
const steps: readonly string[] = [
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
   ) STRICT, WITHOUT ROWID;`,
]

const incompatible = (message: string, cause?: unknown): StoreError =>
  new StoreError('incompatible', message, { cause })

/** Brings the file up to what is declared, in one transaction; a second process that starts meanwhile waits and finds it done. */
export function migrate(db: SqliteDatabase, layouts: readonly Layout[]): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    takeSteps(db)
    checkCollections(db, layouts)
    for (const layout of layouts) {
      makeTable(db, layout)
      makeIndexes(db, layout)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function takeSteps(db: SqliteDatabase): void {
  const taken = Number(db.pragma('user_version', { simple: true }))
  const owner = Number(db.pragma('application_id', { simple: true }))
  const tables = Number(
    db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get(),
  )
  if (owner !== applicationId && (owner !== 0 || taken !== 0 || tables > 0))
    throw incompatible(
      `the database belongs to another program (application_id ${owner}, ${tables} tables): expected an empty file or one of ours`,
    )
  if (taken > steps.length)
    throw incompatible(
      `the database is newer than this program: its schema is at ${taken}, ours at ${steps.length}`,
    )
  for (const step of steps.slice(taken)) db.exec(step)
  db.pragma(`application_id = ${applicationId}`)
  db.pragma(`user_version = ${steps.length}`)
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
      const members = { ...unpackBody(body) }
      if (!added.some((column) => Object.hasOwn(members, column))) continue
      const values = added.map((column) => members[column] ?? null)
      for (const column of added) delete members[column]
      write.run([Object.keys(members).length ? packBody(members) : null, ...values, ...at])
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
