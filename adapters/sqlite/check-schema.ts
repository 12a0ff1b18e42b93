import type { Collection } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'
import { layoutOf } from './layout.ts'
import { storeSteps } from './migrate.ts'

/** Tables of a store that are no collections. */
const own: ReadonlySet<string> = new Set(['_collections', '_counters', '_logs', '_probes'])

interface Made {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/**
 * What a database has that a store never makes, and what it lacks of the collections that are declared; one sentence
 * each. Without a declaration, what the file says of its own collections is compared alone.
 */
export function checkSchema(
  db: SqliteDatabase,
  declared: readonly Collection[] | null,
): readonly string[] {
  const problems: string[] = []
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version !== storeSteps)
    problems.push(
      `user_version is ${version}, expected ${storeSteps}: it was changed, or the database is of another version of the program`,
    )
  const made = db
    .prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .raw()
    .all()
    .map((row) => {
      const [type, name, table, sql] = row as [string, string, string, string | null]
      return { type, name, table, sql } satisfies Made
    })
  const tables = new Set(made.filter(({ type }) => type === 'table').map(({ name }) => name))
  const known = new Set([...own, ...collectionsIn(db, tables).keys()])
  for (const { type, name, table } of made) {
    if (type === 'table' && !known.has(name))
      problems.push(`table ${name} is none of a store: another program made it`)
    if (type === 'trigger' || type === 'view')
      problems.push(`${type} ${name} of ${table} is none of a store: another program made it`)
  }
  for (const name of known) if (!tables.has(name)) problems.push(`table ${name} is missing`)
  for (const collection of declared ?? [])
    problems.push(...checkTable(db, collection, { made, known }))
  return problems
}

/** Names and keys of the collections that a database says it has. */
export function collectionsIn(
  db: SqliteDatabase,
  tables: ReadonlySet<string> | null = null,
): ReadonlyMap<string, readonly string[]> {
  if (tables && !tables.has('_collections')) return new Map()
  const found = db.prepare('SELECT name, key FROM _collections').raw().all() as [string, string][]
  return new Map(found.map(([name, key]) => [name, JSON.parse(key) as string[]]))
}

function checkTable(
  db: SqliteDatabase,
  collection: Collection,
  { made, known }: { readonly made: readonly Made[]; readonly known: ReadonlySet<string> },
): readonly string[] {
  const { name } = collection
  const lacks = 'it was dropped, or the database was not upgraded yet'
  // Missing tables that the file itself names were told before.
  if (!known.has(name)) return [`table ${name} is missing: ${lacks}`]
  if (!made.some((each) => each.type === 'table' && each.name === name)) return []
  const { types, indexes } = layoutOf(collection)
  const columns = new Map(
    db.prepare('SELECT name, type FROM pragma_table_info(?)').raw().all([name]) as [
      string,
      string,
    ][],
  )
  const problems: string[] = []
  for (const [column, type] of types) {
    const is = columns.get(column)
    if (is === undefined) problems.push(`table ${name}: column ${column} is missing: ${lacks}`)
    else if (is !== type)
      problems.push(`table ${name}: column ${column} is ${is}, expected ${type}`)
  }
  for (const column of columns.keys())
    if (!types.has(column)) problems.push(`table ${name}: column ${column} is none of a store`)
  const sqlOf = new Map(
    made
      .filter(({ type, table }) => type === 'index' && table === name)
      .map((each) => [each.name, each.sql]),
  )
  for (const [index, sql] of indexes) {
    const is = sqlOf.get(index)
    if (is === undefined) problems.push(`table ${name}: index ${index} is missing: ${lacks}`)
    else if (is !== sql) problems.push(`table ${name}: index ${index} is ${is}, expected ${sql}`)
  }
  for (const index of sqlOf.keys())
    if (!indexes.has(index)) problems.push(`table ${name}: index ${index} is none of a store`)
  return problems
}
