import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type Declared, type RawRow, storeSuite } from '@countersign/conformance/store'
import type { Store } from '@countersign/core/ports'
import { openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { scratch } from './scratch.ts'

const file = scratch()
const files = new WeakMap<Store, Place>()

interface Place {
  readonly file: string
  readonly declared: Declared
  readonly writerThread: boolean
}

function open(place: Place): Store {
  const { declared, ...options } = place
  const store = openSqliteStore({ ...options, ...declared })
  files.set(store, place)
  return store
}

function placeOf(store: Store) {
  const place = files.get(store)
  if (!place) throw new Error('not a store of this test')
  return place
}

/** Rows, logs and counters, as another process would remove them; what a store's file is made of stays. */
async function empty(store: Store): Promise<void> {
  const db = new Database(placeOf(store).file)
  try {
    const tables = db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
      .pluck()
      .all() as string[]
    const clear = tables.filter((name) => name !== '_collections')
    db.transaction(() => {
      for (const name of clear) db.exec(`DELETE FROM "${name}"`)
    }).immediate()
  } finally {
    db.close()
  }
}

const suite = (writerThread: boolean, runs: number) =>
  storeSuite({
    test,
    runs,
    // A thread for each store takes its time to start: its tests take turns on one.
    ...(writerThread && { reset: empty }),
    create: async (declared) => open({ file: file('store.db'), declared, writerThread }),
    reopen: async (store) => {
      await store.close()
      return open(placeOf(store))
    },
    join: async (store) => open(placeOf(store)),
    inspect: async (store, { name, columns, bytes, key }) => {
      const db = new Database(placeOf(store).file, { readonly: true })
      try {
        const order = key.map((column) => `"${column}"`).join()
        const rows = db.prepare(`SELECT * FROM "${name}" ORDER BY ${order}`).all()
        return (rows as Record<string, never>[]).map(
          (row): RawRow => ({
            columns: Object.fromEntries(
              Object.keys(columns).map((column) => [column, row[column]]),
            ) as never,
            bytes: bytes && row[bytes] ? Uint8Array.from(row[bytes]) : null,
            version: row._version as never,
            leasedBy: row._leasedBy as never,
          }),
        )
      } finally {
        db.close()
      }
    },
    dump: async (store) => {
      const { file } = placeOf(store)
      return [file, `${file}-wal`, `${file}-shm`]
        .filter(existsSync)
        .map((path) => readFileSync(path))
    },
  })

suite(false, 100)
describe('with a thread that writes', () => suite(true, 3))
