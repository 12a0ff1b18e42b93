import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Declared, type RawRow, storeSuite } from '@countersign/conformance/store'
import type { Store } from '@countersign/core/ports'
import { openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { scratch } from './scratch.ts'

const file = scratch()
const files = new WeakMap<Store, { readonly file: string; readonly declared: Declared }>()

function open(file: string, declared: Declared): Store {
  const store = openSqliteStore({ file, ...declared })
  files.set(store, { file, declared })
  return store
}

function placeOf(store: Store) {
  const place = files.get(store)
  if (!place) throw new Error('not a store of this test')
  return place
}

storeSuite({
  test,
  create: async (declared) => open(file('store.db'), declared),
  reopen: async (store) => {
    const { file, declared } = placeOf(store)
    await store.close()
    return open(file, declared)
  },
  join: async (store) => {
    const { file, declared } = placeOf(store)
    return open(file, declared)
  },
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
    return [file, `${file}-wal`, `${file}-shm`].filter(existsSync).map((path) => readFileSync(path))
  },
})
