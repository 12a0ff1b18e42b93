import type { Collection, Log } from '@countersign/core/ports'
import {
  createStoreRules,
  type PlacedEntry,
  plainBytes,
  rowCodec,
  type StoreContents,
} from '@countersign/core/store-kit'
import { bodyEncoding } from './body-encoding.ts'
import { openExisting, type SqliteDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { layoutOf, list, marks } from './layout.ts'

/** All that a database holds. */
export interface SqliteContents extends StoreContents {
  close(): void
}

/** Rows may be of a megabyte each. */
const pageSize = 100

/**
 * Opens a database to read all of it, without what the adapter keeps there for itself. It must be of the declared
 * collections, as `checkDatabase` finds out, and nobody may write it meanwhile.
 */
export function openSqliteContents(options: {
  readonly file: string
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
}): SqliteContents {
  const rules = createStoreRules(options)
  try {
    const db = openExisting(options.file)
    return {
      *rows(name) {
        const collection = rules.collection(name)
        const { selected, table } = layoutOf(collection)
        const { read } = rowCodec(collection, bodyEncoding)
        const columns = selected.split(', ').length
        const keys = list(collection.key)
        const pages = paged(
          db,
          `SELECT ${selected}, ${keys} FROM ${table}`,
          collection.key,
          (row) => row.slice(columns),
        )
        for (const page of pages) yield page.map(read)
      },
      *counters() {
        const pages = paged(db, 'SELECT name, value FROM _counters', ['name'], ([name]) => [name])
        for (const page of pages)
          yield (page as (readonly [string, number])[]).filter(([name]) => !name.startsWith('_'))
      },
      *entries() {
        const pages = paged(
          db,
          'SELECT log, partition, position, entry, hash FROM _logs',
          ['log', 'partition', 'position'],
          (row) => row.slice(0, 3),
        )
        for (const page of pages) yield page.map(entryOf)
      },
      close: () => void db.close(),
    }
  } catch (error) {
    throw translate(error)
  }
}

type Row = readonly unknown[]

/** Rows of a statement without conditions in the order of a key, read from its index page by page. */
function* paged(
  db: SqliteDatabase,
  select: string,
  key: readonly string[],
  keyOf: (row: Row) => Row,
): Iterable<readonly Row[]> {
  const tail = `ORDER BY ${list(key)} LIMIT ${pageSize}`
  const first = db.prepare(`${select} ${tail}`).raw()
  const next = db.prepare(`${select} WHERE (${list(key)}) > (${marks(key.length)}) ${tail}`).raw()
  let rows = first.all() as readonly Row[]
  while (rows.length > 0) {
    yield rows
    rows = next.all(keyOf(rows.at(-1) as Row)) as readonly Row[]
  }
}

function entryOf(row: Row): PlacedEntry {
  const [log, partition, position, entry, hash] = row as [
    string,
    string,
    number,
    Uint8Array,
    Uint8Array,
  ]
  return { log, partition, position, entry: plainBytes(entry), hash: plainBytes(hash) }
}
