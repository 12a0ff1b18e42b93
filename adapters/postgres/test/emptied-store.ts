import type { Collection, Log, Store } from '@countersign/core/ports'
import { openPostgresStore } from '@countersign/postgres'
import { emptySchema } from './empty-schema.ts'
import { freshSchema, server } from './server.ts'

interface Declared {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
}

const opened = new Map<string, Promise<{ readonly store: Store; readonly schema: string }>>()

/**
 * An empty store. Those of one declaration are one store, emptied each time, since making the tables of a service takes
 * longer than most tests: whoever had it before must not use it any more.
 */
export async function emptiedStore(declared: Declared): Promise<Store> {
  const { url } = await server()
  const id = JSON.stringify(declared)
  const found = opened.get(id) ?? open(url, declared)
  opened.set(id, found)
  const { store, schema } = await found
  await emptySchema({ url, schema })
  return store
}

async function open(url: string, declared: Declared) {
  const schema = freshSchema()
  return { store: await openPostgresStore({ url, schema, ...declared }), schema }
}

/** To be called before the server ends. */
export async function closeStores(): Promise<void> {
  for (const one of opened.values()) await (await one).store.close()
  opened.clear()
}
