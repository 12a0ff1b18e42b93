import { fileURLToPath } from 'node:url'
import { type Collection, type Log, type Store, StoreError } from '@countersign/core/ports'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import { openPostgresStore, type PostgresStoreOptions } from '@countersign/postgres'

const writes: Collection = {
  name: 'writes',
  key: ['who', 'number'],
  columns: { who: 'text', number: 'int' },
  indexes: {},
  tenant: 'system',
  purge: { keep: 'made by a test' },
  retain: { keep: 'made by a test' },
}

const chain: Log = { name: 'chain', retain: { keep: 'made by a test' } }

/** What a ledger declares. */
export const ledger = { collections: [writes], logs: [chain] }

export const openLedger = (
  place: Pick<PostgresStoreOptions, 'url' | 'schema' | 'patienceMs' | 'answerMs'>,
): Promise<Store> => openPostgresStore({ ...place, ...ledger })

/** A row, a count and an entry of the log, together; told whether it is written. */
export async function write(store: Store, who: string, number: number): Promise<boolean> {
  const outcome = await store.commit({
    tenant: null,
    puts: [{ in: writes.name, row: { who, number }, was: null }],
    adds: [{ counter: 'writes', delta: 1 }],
    appends: [{ log: chain.name, partition: 'all', entry: Buffer.from(`${who} ${number}`) }],
  })
  return outcome.committed
}

/** What the writes have left: the counter, the numbers of rows and of entries, and whether the chain is whole. */
export async function totals(store: Store) {
  const [count, log, rows] = await store.read(null, [
    { counter: 'writes' },
    { log: chain.name, partition: 'all', after: 0, take: 1_000_000 },
    { list: writes.name, where: [], by: 'key', newest: false, skip: 0, take: 0, count: true },
  ])
  let previous = chainStart
  const entries = new Set<string>()
  const whole = (log?.rows ?? []).every(({ row, version }, at) => {
    const { entry, hash } = row as { readonly entry: Uint8Array; readonly hash: Uint8Array }
    previous = chainHash(previous, entry)
    entries.add(Buffer.from(entry).toString())
    return version === at + 1 && Buffer.compare(previous, hash) === 0
  })
  return {
    count: count?.total,
    rows: rows?.total,
    entries: log?.rows.length,
    distinct: entries.size,
    whole,
  }
}

/** As a process of its own: writes so many, eight at once, and tells of each once it is durable. */
async function work(send: (word: unknown) => void): Promise<void> {
  const [, , url = '', schema = '', who = '', count] = process.argv
  const store = await openLedger({ url, schema })
  let number = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (number < Number(count)) {
        const one = number++
        if (await write(store, who, one)) send(one)
      }
    }),
  )
  await store.close()
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const tell = (word: unknown) => process.send?.(word)
  await work(tell).catch((error: unknown) =>
    tell(error instanceof StoreError ? error.code : String(error)),
  )
  process.disconnect()
}
