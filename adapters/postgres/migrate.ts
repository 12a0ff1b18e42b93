import { StoreError } from '@countersign/core/ports'
import { bodyEncoding } from './body-encoding.ts'
import type { Connection } from './connection.ts'
import { translate } from './errors.ts'
import { type Layout, list, quote, typeText } from './layout.ts'

const incompatible = (message: string, cause?: unknown): StoreError =>
  new StoreError('incompatible', message, { cause })

/** Tables that are no collections, by the number of their step. */
const steps: readonly string[] = [
  `create table _collections (name text collate "C" primary key, key text not null);
   create table _indexes (name text collate "C" primary key, collection text not null, text text not null);
   create table _writers (id text collate "C" primary key, seq bigint not null) with (fillfactor = 50);
   create table _counters (
     name text collate "C" primary key,
     value bigint not null check (value between -9007199254740991 and 9007199254740991)
   ) with (fillfactor = 50);
   create table _heads (
     log text collate "C" not null,
     partition text collate "C" not null,
     position bigint not null,
     hash bytea not null,
     primary key (log, partition)
   ) with (fillfactor = 50);
   create table _logs (
     log text collate "C" not null,
     partition text collate "C" not null,
     position bigint not null,
     entry bytea not null,
     hash bytea not null,
     primary key (log, partition, position)
   )`,
]

/** Brings the schema up to what is declared, in one transaction; a second process that starts meanwhile waits and finds it done. */
export async function migrate(
  connection: Connection,
  schema: string,
  layouts: readonly Layout[],
): Promise<void> {
  const { run } = connection
  await run('begin')
  try {
    await run(`select 1 from pg_advisory_xact_lock(hashtext($1))`, [`countersign ${schema}`])
    await run(`set local lock_timeout = '5s'`)
    const { rows } = await run('select 1 from pg_namespace where nspname = $1', [schema])
    if (rows.length === 0) await run(`create schema ${quote(schema)}`)
    await takeSteps(connection)
    await checkCollections(connection, layouts)
    for (const layout of layouts) {
      await makeTable(connection, schema, layout)
      await makeIndexes(connection, layout)
    }
    const { command } = await run('commit')
    if (command !== 'COMMIT') throw new StoreError('io', 'the schema was not brought up to date')
  } catch (error) {
    if (!connection.lost()) await run('rollback')
    throw translate(error)
  }
}

async function takeSteps({ run }: Connection): Promise<void> {
  await run('create table if not exists _schema (steps int not null)')
  const { rows } = await run('select steps from _schema')
  const taken = Number(rows[0]?.[0] ?? 0)
  if (taken > steps.length)
    throw incompatible(`the schema has taken ${taken} steps, this program knows ${steps.length}`)
  for (const step of steps.slice(taken))
    for (const statement of step.split(';')) await run(statement.trim())
  await run('delete from _schema')
  await run('insert into _schema (steps) values ($1)', [steps.length])
}

/** A collection that the database has and nobody declares would never be purged. */
async function checkCollections({ run }: Connection, layouts: readonly Layout[]): Promise<void> {
  const declared = new Map(
    layouts.map(({ collection }) => [collection.name, JSON.stringify(collection.key)]),
  )
  const { rows } = await run('select name, key from _collections')
  for (const [name, key] of rows as readonly (readonly [string, string])[]) {
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
  await run(
    'insert into _collections select * from unnest($1::text[], $2::text[]) on conflict do nothing',
    [[...declared.keys()], [...declared.values()]],
  )
}

async function makeTable(connection: Connection, schema: string, layout: Layout): Promise<void> {
  const { run } = connection
  const { collection, table, types } = layout
  const { rows } = await run(
    'select column_name::text, data_type::text from information_schema.columns where table_schema = $1 and table_name = $2',
    [schema, collection.name],
  )
  if (rows.length === 0) {
    await run(layout.create)
    return
  }
  const found = new Map(rows as readonly (readonly [string, string])[])
  for (const [column, type] of found) {
    const wanted = types.get(column)
    if (wanted !== type)
      throw incompatible(
        `column ${column} of collection ${collection.name} is ${type} in the database, declared is ${wanted ?? 'none'}`,
      )
  }
  const added = [...types].filter(([column]) => !found.has(column))
  for (const [column, type] of added)
    await run(`alter table ${table} add column ${quote(column)} ${typeText(type)}`)
  if (added.length)
    await moveOutOfBodies(
      connection,
      layout,
      added.map(([column]) => column),
    )
}

/** Members that become columns leave the bodies of the rows that have them. */
async function moveOutOfBodies(
  { run }: Connection,
  { collection: { key }, table }: Layout,
  added: readonly string[],
): Promise<void> {
  const marks = (from: number) => key.map((_, at) => `$${from + at}`).join(', ')
  const write = `update ${table} set _body = $1, ${added.map((column, at) => `${quote(column)} = $${at + 2}`).join(', ')} where (${list(key)}) = (${marks(added.length + 2)})`
  let after: readonly unknown[] | null = null
  for (;;) {
    const behind: string = after ? `and (${list(key)}) > (${marks(1)})` : ''
    const { rows } = await run(
      `select _body, ${list(key)} from ${table} where _body is not null ${behind} order by ${list(key)} limit 500`,
      after ?? [],
    )
    for (const [body, ...at] of rows) {
      const members = { ...bodyEncoding.unpack(body as Uint8Array) }
      if (!added.some((column) => Object.hasOwn(members, column))) continue
      const values = added.map((column) => members[column] ?? null)
      for (const column of added) delete members[column]
      const left = Object.keys(members).length ? bodyEncoding.pack(members) : null
      await run(write, [left, ...values, ...at])
    }
    const last = rows.at(-1)
    if (!last) return
    after = last.slice(1)
  }
}

async function makeIndexes({ run }: Connection, layout: Layout): Promise<void> {
  const { collection, indexes } = layout
  const { rows } = await run('select name, text from _indexes where collection = $1', [
    collection.name,
  ])
  const found = new Map(rows as readonly (readonly [string, string])[])
  for (const [name, text] of found)
    if (indexes.get(name) !== text) {
      await run(`drop index ${quote(name)}`)
      await run('delete from _indexes where name = $1', [name])
    }
  for (const [name, text] of indexes) {
    if (found.get(name) === text) continue
    try {
      await run(text)
    } catch (error) {
      throw incompatible(
        `the rows of collection ${collection.name} do not fit index ${name}: ${error instanceof Error ? error.message : error}`,
        error,
      )
    }
    await run('insert into _indexes (name, collection, text) values ($1, $2, $3)', [
      name,
      collection.name,
      text,
    ])
  }
}
