import { type CommitOutcome, type Store, StoreError } from '@countersign/core/ports'
import { createEncoder, createStoreRules, encodeSet } from '@countersign/core/store-kit'
import type { Tables } from './alone.ts'
import { createCommitter, type Task } from './committer.ts'
import { type Connection, connect, type Place } from './connection.ts'
import { translate } from './errors.ts'
import { createGroups } from './groups.ts'
import { migrate } from './migrate.ts'
import { type PostgresStoreOptions, placeOf } from './options.ts'
import { openQueue, type Queue } from './queue.ts'
import { answerReads } from './reads.ts'
import { createShared } from './shared-connection.ts'
import { openTable } from './table.ts'
import { createWriter, type Writer } from './writer.ts'

/** A `Store` on PostgreSQL with what operations need beside it. */
export interface PostgresStore extends Store {
  /** Commits to the row of a writer and reads; rejects with what is wrong. */
  probe(): Promise<void>
}

/** The store port on PostgreSQL 15 or later, which many processes may share. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const rules = createStoreRules(options)
  const place = placeOf(options)
  const { patienceMs = 5_000 } = options
  const byName = new Map(rules.collections.map((each) => [each.name, openTable(each)]))
  const tables: Tables = {
    all: [...byName.values()],
    table(name) {
      const found = byName.get(name)
      if (!found) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
      return found
    },
  }
  const encoders = new Map(
    tables.all.map(({ collection, codec }) => [collection.name, createEncoder(collection, codec)]),
  )
  const queues = new Map<string, Queue>()
  await prepare(place, tables)

  const readers = Array.from({ length: options.readers ?? 2 }, () =>
    createShared(() => connect(place, 'reader')),
  )
  const claimer = createShared(() => connect(place, 'writer'))
  const writers = Array.from({ length: options.writers ?? 2 }, () =>
    createWriter(() => connect(place, 'writer'), patienceMs),
  )
  const free = [...writers]
  let turn = 0
  const reader = () => readers[turn++ % readers.length] as (typeof readers)[number]
  const committer = createCommitter(tables, () => reader().get())
  const groups = createGroups(tables)
  let scheduled = false
  let idle: (() => void) | null = null
  let claiming: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | null = null

  function open(): void {
    if (closed) throw new StoreError('closed', 'the store is closed')
  }

  function encoderOf(name: string) {
    const found = encoders.get(rules.collection(name).name)
    if (!found) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
    return found
  }

  function queueOf(name: string): Queue {
    const found = queues.get(name)
    if (found) return found
    const made = openQueue(tables.table(name), rules.queue(name).queue)
    queues.set(name, made)
    return made
  }

  function pump(): void {
    scheduled = false
    for (;;) {
      const writer = free.pop()
      if (!writer) return
      const tasks = groups.take()
      if (tasks.length === 0) {
        free.push(writer)
        break
      }
      void run(writer, tasks)
    }
    if (free.length === writers.length && groups.waiting === 0) idle?.()
  }

  async function run(writer: Writer, tasks: readonly Task[]): Promise<void> {
    await committer.commit(writer, tasks)
    const met = groups.takeMeeting(tasks)
    if (met.length > 0) groups.putBack(await committer.refuse(met))
    groups.done(tasks)
    free.push(writer)
    schedule()
  }

  /** What is asked for within one turn of the loop shares a transaction. */
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(pump)
  }

  /** A read is repeated once: it may have met a connection that broke while nobody used it. */
  async function look<T>(ask: (connection: Connection) => Promise<T>): Promise<T> {
    open()
    return reader().use(ask, { again: true })
  }

  async function closeAll(): Promise<void> {
    await claiming.catch(() => {})
    if (groups.waiting > 0 || free.length < writers.length)
      await new Promise<void>((resolve) => {
        idle = resolve
        schedule()
      })
    await Promise.all([...readers, claimer, ...writers].map((each) => each.close()))
  }

  return {
    async read(tenant, asked) {
      rules.checkReads(tenant, asked)
      return look((connection) => answerReads(connection, tables.table, tenant, asked))
    },
    async commit(set) {
      open()
      rules.checkSet(set)
      const encoded = encodeSet(encoderOf, set)
      return new Promise<CommitOutcome>((settle, fail) => {
        groups.add({ set: encoded, settle, fail })
        schedule()
      })
    },
    async lanes(query) {
      const queue = queueOf(query.in)
      return look((connection) => queue.lanes(connection, query))
    },
    async nextDue(query) {
      const queue = queueOf(query.in)
      return look((connection) => queue.nextDue(connection))
    },
    async claim(query) {
      open()
      rules.checkClaim(query)
      const queue = queueOf(query.in)
      // One after another, so that of two claims of this process each gets what the other leaves.
      const claimed = claiming.then(() =>
        claimer.use((connection) => queue.claim(connection, query), { again: false }),
      )
      claiming = claimed.catch(() => {})
      return claimed
    },
    async scrub() {
      open()
      await look(({ run }) => run('select 1'))
    },
    async probe() {
      open()
      await new Promise<CommitOutcome>((settle, fail) => {
        const set = { tenant: null, checks: [], writes: [], ranges: [], adds: [], appends: [] }
        groups.add({ set, settle, fail })
        schedule()
      })
      await look(({ run }) => run('select 1 from _schema'))
    },
    close() {
      closed ??= closeAll()
      return closed
    },
  }
}

async function prepare(place: Place, tables: Tables): Promise<void> {
  const connection = await connect(place, 'reader')
  try {
    await migrate(
      connection,
      place.schema,
      tables.all.map(({ layout }) => layout),
    )
  } catch (error) {
    throw translate(error)
  } finally {
    await connection.close()
  }
}
