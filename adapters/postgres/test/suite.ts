import type { test } from 'node:test'
import { type Declared, type RawRow, storeSuite } from '@countersign/conformance/store'
import type { Store } from '@countersign/core/ports'
import { openPostgresStore } from '@countersign/postgres'
import type pg from 'pg'
import { emptySchema, within } from './empty-schema.ts'
import { freshSchema, missing, server } from './server.ts'

interface Place {
  readonly url: string
  readonly schema: string
  readonly declared: Declared
}

const places = new WeakMap<Store, Place>()

async function open(place: Place): Promise<Store> {
  const { declared, ...options } = place
  const store = await openPostgresStore({ ...options, ...declared })
  places.set(store, place)
  return store
}

function placeOf(store: Store): Place {
  const place = places.get(store)
  if (!place) throw new Error('not a store of this test')
  return place
}

/** Asks past the store. */
const ask = <T>(store: Store, run: (client: pg.Client) => Promise<T>) => within(placeOf(store), run)

/** Registers the store suite over the server of this file. */
export function postgresSuite(register: typeof test, runs: number): void {
  storeSuite({
    test: (name, options, run) => {
      void register(name, missing ? { ...options, skip: missing } : options, run)
    },
    runs,
    reset: (store) => emptySchema(placeOf(store)),
    supports: {
      shredding:
        'a database server keeps removed bytes in its write-ahead log until that is recycled',
    },
    create: async (declared) =>
      open({ url: (await server()).url, schema: freshSchema(), declared }),
    reopen: async (store) => {
      await store.close()
      return open(placeOf(store))
    },
    join: async (store) => open(placeOf(store)),
    inspect: (store, { name, columns, bytes, key }) =>
      ask(store, async (client) => {
        const order = key.map((column) => `"${column}"`).join()
        const { rows } = await client.query(`select * from "${name}" order by ${order}`)
        return (rows as Record<string, unknown>[]).map(
          (row): RawRow => ({
            columns: Object.fromEntries(
              Object.entries(columns).map(([column, type]) => [
                column,
                type === 'int' && row[column] !== null ? Number(row[column]) : row[column],
              ]),
            ) as never,
            bytes: bytes && row[bytes] ? Uint8Array.from(row[bytes] as Buffer) : null,
            version: Number(row._version),
            leasedBy: row._leasedBy as string | null,
          }),
        )
      }),
  })
}
