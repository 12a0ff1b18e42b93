import { type Collection, type Log, StoreError } from '@countersign/core/ports'
import {
  chainHash,
  chainStart,
  createStoreRules,
  type PlacedEntry,
  plainBytes,
  type StoreContents,
} from '@countersign/core/store-kit'
import { type Connection, connect } from './connection.ts'
import { createDigest, type PartDigest } from './contents-digest.ts'
import { translate } from './errors.ts'
import { list } from './layout.ts'
import { migrate } from './migrate.ts'
import { placeOf } from './options.ts'
import { openTable, type Table, transpose, unnest } from './table.ts'

/** What is in the database, compared with its source part by part. */
export interface Imported {
  /** False: all of it was there already, from an import before. */
  readonly copied: boolean
  readonly collections: Readonly<Record<string, PartDigest>>
  readonly counters: PartDigest
  readonly entries: PartDigest
  /** The last entry of each log; `hash` in hex. */
  readonly logs: readonly {
    readonly log: string
    readonly partition: string
    readonly entries: number
    readonly hash: string
  }[]
}

/** A statement on many rows may take longer than one of a service. */
const answerMs = 600_000
/** Rows may be of a megabyte each. */
const pageSize = 100

/**
 * Copies all that another store holds into a database that is empty, in one transaction: rows with their versions and
 * leases, counters, and logs with their hashes, whose chains are followed. Then all of it is read back and compared with
 * what was read; only what is the same is committed. Where the database holds just that already, nothing is written.
 * Rejects with `incompatible` where it holds anything else, and with `corrupt` where a chain of the source is broken.
 */
export async function importContents(options: {
  readonly url: string
  readonly schema?: string
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  readonly contents: StoreContents
}): Promise<Imported> {
  const { contents } = options
  const place = { ...placeOf(options), answerMs }
  const tables = createStoreRules(options).collections.map(openTable)
  const connection = await connect(place, 'reader')
  const { run } = connection
  try {
    const layouts = tables.map(({ layout }) => layout)
    await migrate(connection, place.schema, layouts)
    await run('begin')
    // Whoever writes now would be overlooked: nobody does until the end.
    const names = [...layouts.map(({ table }) => table), '_counters', '_heads', '_logs']
    for (const name of names) await run(`lock table ${name} in exclusive mode`)
    const copied = await isEmpty(connection, names)
    const source = copied
      ? await copyAll(connection, tables, contents)
      : digestAll(tables, contents)
    const target = await readBack(connection, tables)
    checkSame(source, target, place.schema, copied)
    const { command } = await run('commit')
    if (command !== 'COMMIT') throw new StoreError('io', 'the copy was not committed')
    return { copied, ...target, logs: await headsOf(connection) }
  } catch (error) {
    throw translate(error)
  } finally {
    // Ends the transaction, too.
    await connection.close()
  }
}

type Parts = Pick<Imported, 'collections' | 'counters' | 'entries'>

async function isEmpty({ run }: Connection, names: readonly string[]): Promise<boolean> {
  const found = names.map((name) => `exists (select 1 from ${name})`)
  const { rows } = await run(`select (${found.join(' or ')})::int`)
  return rows[0]?.[0] === 0
}

async function copyAll(
  connection: Connection,
  tables: readonly Table[],
  contents: StoreContents,
): Promise<Parts> {
  const { run } = connection
  const collections: Record<string, PartDigest> = {}
  for (const table of tables) {
    const digest = createDigest()
    const insert = insertOf(table)
    for (const page of contents.rows(table.collection.name)) {
      for (const row of page) digest.row(row)
      await run(insert.text, transpose(page.map(insert.values), table.layout.columns.length))
    }
    collections[table.collection.name] = digest.end()
  }
  const counters = createDigest()
  for (const page of contents.counters()) {
    for (const counter of page) counters.counter(counter)
    await run(
      'insert into _counters (name, value) select * from unnest($1::text[], $2::bigint[])',
      transpose(page, 2),
    )
  }
  return { collections, counters: counters.end(), entries: await copyLogs(connection, contents) }
}

function insertOf({ collection, layout, codec }: Table) {
  const { columns, types } = layout
  const names = columns.map((_, at) => `c${at}`)
  const arrays = columns.map((column) => types.get(column) ?? 'text')
  return {
    text: `insert into ${layout.table} (${list(columns)}) select * from ${unnest(arrays, names)}`,
    values({ row, version, leasedBy }: { row: unknown; version: number; leasedBy: string | null }) {
      const members = row as Readonly<Record<string, unknown>>
      const bytes = collection.bytes ? [members[collection.bytes]] : []
      return [...codec.values(members), version, leasedBy, codec.body(members), ...bytes]
    },
  }
}

async function copyLogs({ run }: Connection, contents: StoreContents): Promise<PartDigest> {
  const digest = createDigest()
  const heads = new Map<string, PlacedEntry>()
  for (const page of contents.entries()) {
    for (const one of page) {
      const id = JSON.stringify([one.log, one.partition])
      const before = heads.get(id)
      const linked = chainHash(before?.hash ?? chainStart, one.entry)
      if (one.position !== (before?.position ?? 0) + 1 || Buffer.compare(linked, one.hash) !== 0)
        throw new StoreError(
          'corrupt',
          `log ${one.log} ${one.partition}: entry ${one.position} is not linked to the one before it`,
        )
      heads.set(id, one)
      digest.entry(one)
    }
    await run(
      `insert into _logs (log, partition, position, entry, hash)
        select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[])`,
      transpose(
        page.map(({ log, partition, position, entry, hash }) => [
          log,
          partition,
          position,
          entry,
          hash,
        ]),
        5,
      ),
    )
  }
  await run(
    `insert into _heads (log, partition, position, hash)
      select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])`,
    transpose(
      [...heads.values()].map(({ log, partition, position, hash }) => [
        log,
        partition,
        position,
        hash,
      ]),
      4,
    ),
  )
  return digest.end()
}

function digestAll(tables: readonly Table[], contents: StoreContents): Parts {
  const collections: Record<string, PartDigest> = {}
  for (const { collection } of tables) {
    const digest = createDigest()
    for (const page of contents.rows(collection.name)) for (const row of page) digest.row(row)
    collections[collection.name] = digest.end()
  }
  const [counters, entries] = [createDigest(), createDigest()]
  for (const page of contents.counters()) for (const one of page) counters.counter(one)
  for (const page of contents.entries()) for (const one of page) entries.entry(one)
  return { collections, counters: counters.end(), entries: entries.end() }
}

async function readBack(connection: Connection, tables: readonly Table[]): Promise<Parts> {
  const collections: Record<string, PartDigest> = {}
  for (const { collection, layout, selected, read, keyTypes } of tables) {
    const digest = createDigest()
    const keyOf = (row: readonly unknown[]) =>
      collection.key.map((column) => row[layout.columns.indexOf(column)])
    const key = { columns: list(collection.key, 't.'), types: keyTypes, of: keyOf }
    const select = `select ${selected} from ${layout.table} t`
    for await (const row of paged(connection, select, key)) digest.row(read(row))
    collections[collection.name] = digest.end()
  }
  const counters = createDigest()
  const byName = { columns: 'name', types: ['text'], of: (row: readonly unknown[]) => [row[0]] }
  for await (const row of paged(connection, 'select name, value from _counters', byName))
    counters.counter(row as unknown as readonly [string, number])
  const entries = createDigest()
  const byPlace = {
    columns: 'log, partition, position',
    types: ['text', 'text', 'bigint'],
    of: (row: readonly unknown[]) => row.slice(0, 3),
  }
  const select = 'select log, partition, position, entry, hash from _logs'
  for await (const row of paged(connection, select, byPlace)) {
    const [log, partition, position, entry, hash] = row as unknown as readonly [
      string,
      string,
      number,
      Uint8Array,
      Uint8Array,
    ]
    entries.entry({
      log,
      partition,
      position,
      entry: plainBytes(entry),
      hash: plainBytes(hash),
    })
  }
  return { collections, counters: counters.end(), entries: entries.end() }
}

interface PageKey {
  readonly columns: string
  readonly types: readonly string[]
  of(row: readonly unknown[]): readonly unknown[]
}

async function* paged({ run }: Connection, select: string, { columns, types, of }: PageKey) {
  const marks = types.map((type, at) => `$${at + 2}::${type}`).join(', ')
  let after: readonly unknown[] | null = null
  for (;;) {
    const behind: string = after ? `where (${columns}) > (${marks})` : ''
    const text: string = `${select} ${behind} order by ${columns} limit $1`
    const { rows } = await run(text, [pageSize, ...(after ?? [])])
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    after = of(last)
  }
}

/** Throws where a part differs. */
function checkSame(source: Parts, target: Parts, schema: string, copied: boolean): void {
  const flat = ({
    collections,
    counters,
    entries,
  }: Parts): Readonly<Record<string, PartDigest>> => ({
    ...collections,
    counters,
    entries,
  })
  const [expected, found] = [flat(source), flat(target)]
  const differing = Object.keys(expected).filter(
    (part) => JSON.stringify(expected[part]) !== JSON.stringify(found[part]),
  )
  if (differing.length === 0) return
  const told = differing
    .slice(0, 3)
    .map((part) => `${part}: ${expected[part]?.count} expected, ${found[part]?.count} found`)
    .join('; ')
  throw new StoreError(
    'incompatible',
    copied
      ? `what was copied is not what was read (${told}): nothing is kept of it`
      : `schema ${schema} of the database holds other data already (${told}): it must be empty`,
  )
}

async function headsOf({ run }: Connection): Promise<Imported['logs']> {
  const { rows } = await run(
    'select log, partition, position, hash from _heads order by log, partition',
  )
  return (rows as readonly (readonly [string, string, number, Uint8Array])[]).map(
    ([log, partition, entries, hash]) => ({
      log,
      partition,
      entries,
      hash: Buffer.from(hash).toString('hex'),
    }),
  )
}
