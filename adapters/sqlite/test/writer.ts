import type { Collection, Log, Store } from '@countersign/core/ports'
import { openSqliteStore } from '@countersign/sqlite'

const writes: Collection = {
  name: 'writes',
  key: ['who', 'number'],
  columns: { who: 'text', number: 'int' },
  indexes: {},
  tenant: 'system',
  purge: { keep: 'made by a test' },
}

const chain: Log = { name: 'chain', link: (previous) => previous.map((byte) => byte + 1) }

export const openLedger = (file: string): Store =>
  openSqliteStore({ file, collections: [writes], logs: [chain] })

/** A row, a count and an entry of the log, together. */
export async function write(store: Store, who: string, number: number): Promise<void> {
  const outcome = await store.commit({
    tenant: null,
    puts: [{ in: writes.name, row: { who, number }, was: null }],
    adds: [{ counter: 'writes', delta: 1 }],
    appends: [{ log: chain.name, partition: 'all', entry: Uint8Array.of(number & 255) }],
  })
  if (!outcome.committed)
    throw new Error(`write ${number} of ${who} met ${outcome.conflicts[0].kind}`)
}

/** As a process of its own: writes so many, and tells of each once it is durable. */
const [, , file, who, count] = process.argv
if (file && who && process.send) {
  const store = openLedger(file)
  for (let number = 0; number < Number(count); number++) {
    await write(store, who, number)
    process.send(number)
  }
  await store.close()
  process.disconnect()
}
