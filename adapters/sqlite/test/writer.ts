import { fileURLToPath } from 'node:url'
import { type Collection, type Log, type Store, StoreError } from '@countersign/core/ports'
import { openSqliteStore } from '@countersign/sqlite'

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

export const openLedger = (
  file: string,
  writerThread = false,
  onWriterRestart: (error: StoreError) => void = () => {},
): Store =>
  openSqliteStore({ file, writerThread, onWriterRestart, collections: [writes], logs: [chain] })

/** Both ways to write: on the thread that asks, and on one of its own. */
export const ways = [
  ['', false],
  [', with a thread that writes', true],
] as const

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

/** What the writes have left: the counter, the log's entries and the rows. */
export async function totals(store: Store) {
  const [count, log, rows] = await store.read(null, [
    { counter: 'writes' },
    { log: chain.name, partition: 'all', after: 0, take: 0 },
    { list: writes.name, where: [], by: 'key', newest: false, skip: 0, take: 0, count: true },
  ])
  return { count: count?.total ?? 0, entries: log?.total, rows: rows?.total }
}

async function work(send: (word: unknown) => void): Promise<void> {
  const [, , file = '', who = '', count, together = '1', way = ''] = process.argv
  const store = openLedger(file, way === 'thread')
  for (let number = 0; number < Number(count); ) {
    const next = Math.min(Number(count), number + Number(together))
    const numbers = Array.from({ length: next - number }, (_, at) => number + at)
    await Promise.all(numbers.map((one) => write(store, who, one)))
    for (const one of numbers) send(one)
    number = next
  }
  await store.close()
}

// As a process of its own: writes so many, so many at once, and tells of each once it is durable, or of what stopped it.
if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const tell = (word: unknown) => process.send?.(word)
  await work(tell).catch((error: unknown) =>
    tell(error instanceof StoreError ? error.code : String(error)),
  )
  process.disconnect()
}
