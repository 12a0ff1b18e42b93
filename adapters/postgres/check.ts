import { chainHash, chainStart, createStoreRules } from '@countersign/core/store-kit'
import { type Connection, connect } from './connection.ts'
import { translate } from './errors.ts'
import { list } from './layout.ts'
import { type PostgresStoreOptions, placeOf } from './options.ts'
import { openTable, type Table } from './table.ts'

/** The result of a check. */
export interface PostgresCheck {
  /** One sentence each; empty where all is well. */
  readonly problems: readonly string[]
  /** The last entry of each log: noted elsewhere, it shows later that nothing before it was changed or cut. */
  readonly logs: readonly {
    readonly log: string
    readonly partition: string
    readonly entries: number
    /** Hex. */
    readonly hash: string
  }[]
}

const pageSize = 1_000

/**
 * Looks through the rows and logs of a store without writing, in one snapshot, also while servers run on it: each row
 * is decoded, each log is followed along its chain, and each index is there and valid. Damage is told and not thrown.
 */
export async function checkPostgres(
  options: Pick<PostgresStoreOptions, 'url' | 'schema' | 'collections' | 'logs'>,
): Promise<PostgresCheck> {
  const place = placeOf(options)
  const tables = createStoreRules(options).collections.map(openTable)
  const problems: string[] = []
  const connection = await connect(place, 'reader')
  try {
    await connection.run('begin isolation level repeatable read read only')
    await checkIndexes(connection, tables, problems)
    for (const table of tables) await checkRows(connection, table, problems)
    return { problems, logs: await checkLogs(connection, problems) }
  } catch (error) {
    const { code, message } = translate(error)
    if (code === 'incompatible') throw error
    return { problems: [...problems, message], logs: [] }
  } finally {
    await connection.close()
  }
}

async function checkIndexes(
  { run }: Connection,
  tables: readonly Table[],
  problems: string[],
): Promise<void> {
  const { rows } = await run(
    `select c.relname::text, i.indisvalid::int from pg_index i join pg_class c on c.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema()`,
  )
  const found = new Map(rows as readonly (readonly [string, number])[])
  for (const { layout, collection } of tables)
    for (const name of layout.indexes.keys())
      if (found.get(name) !== 1)
        problems.push(
          `collection ${collection.name}: index ${name} is ${found.has(name) ? 'not valid' : 'missing'}`,
        )
}

async function checkRows({ run }: Connection, table: Table, problems: string[]): Promise<void> {
  const { collection, layout, selected, keyTypes } = table
  const keys = list(collection.key, 't.')
  const marks = keyTypes.map((_, at) => `$${at + 2}`).join(', ')
  let after: readonly unknown[] = []
  for (;;) {
    const behind: string = after.length ? `where (${keys}) > (${marks})` : ''
    const { rows } = await run(
      `select ${selected} from ${layout.table} t ${behind} order by ${keys} limit $1`,
      [pageSize, ...after],
    )
    let key: readonly unknown[] = []
    for (const values of rows) {
      key = collection.key.map((column) => values[layout.columns.indexOf(column)])
      try {
        const { version } = table.read(values)
        if (version < 1) throw new Error(`its version is ${version}`)
      } catch (error) {
        problems.push(
          `collection ${collection.name}, row ${JSON.stringify(key)}: ${(error as Error).message}`,
        )
      }
    }
    if (rows.length < pageSize) return
    after = key
  }
}

async function checkLogs({ run }: Connection, problems: string[]): Promise<PostgresCheck['logs']> {
  const { rows } = await run(
    'select log, partition, position, hash from _heads order by log, partition',
  )
  const heads: PostgresCheck['logs'][number][] = []
  for (const [log, partition, end, head] of rows as readonly (readonly [
    string,
    string,
    number,
    Uint8Array,
  ])[]) {
    let previous = chainStart
    let entries = 0
    const fault = (what: string) => problems.push(`log ${log} ${partition}: ${what}`)
    for (let page = pageSize; page === pageSize; ) {
      const { rows: found } = await run(
        'select position, entry, hash from _logs where log = $1 and partition = $2 and position > $3 order by position limit $4',
        [log, partition, entries, pageSize],
      )
      page = found.length
      for (const [position, entry, hash] of found as readonly (readonly [
        number,
        Uint8Array,
        Uint8Array,
      ])[]) {
        previous = chainHash(previous, entry)
        if (position !== entries + 1) fault(`entry ${entries + 1} is missing`)
        else if (Buffer.compare(previous, hash) !== 0)
          fault(`entry ${position} is not what its hash says, or not linked to those before it`)
        previous = hash
        entries = position
      }
    }
    if (entries !== end || Buffer.compare(previous, head) !== 0)
      fault(`its head is of entry ${end}, its last entry is ${entries}`)
    heads.push({ log, partition, entries, hash: Buffer.from(head).toString('hex') })
  }
  return heads
}
