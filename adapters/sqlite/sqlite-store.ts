import {
  type Collection,
  createStoreRules,
  type Found,
  type Log,
  type Read,
  type Store,
  StoreError,
} from '@countersign/core/ports'
import { type Application, prepareSet } from './apply.ts'
import { type ConnectionOptions, connect } from './connection.ts'
import { translate } from './errors.ts'
import { createGroup } from './group.ts'
import { listRows } from './lists.ts'
import { openLogs } from './logs.ts'
import { migrate } from './migrate.ts'
import { openQueue, type Queue } from './queue.ts'
import { createRowCache } from './row-cache.ts'
import { createSavepoint } from './savepoint.ts'
import { createStatements } from './statements.ts'
import { openTable, type Table } from './table.ts'
import { createTurnReads } from './turn-reads.ts'

export interface SqliteStoreOptions extends ConnectionOptions {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  /** `most`: change sets that share a transaction (default 500), which bounds how long the thread is held. */
  readonly groupCommit?: { readonly most?: number }
}

export interface SqliteStore extends Store {
  /** Moves what it can from the write-ahead log into the file; answers the log's pages and how many were moved. */
  checkpoint(): { readonly pages: number; readonly moved: number }
}

/** The store port on one SQLite file; several processes may open it, each write waits for its turn. */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const rules = createStoreRules(options)
  const { db, close } = connect(options)
  const statements = createStatements(db)
  const cache = createRowCache(statements)
  const tables = new Map<string, Table>(
    rules.collections.map((each) => [each.name, openTable(each, statements, cache)]),
  )
  const queues = new Map<string, Queue>()
  try {
    migrate(
      db,
      [...tables.values()].map(({ layout }) => layout),
    )
  } catch (error) {
    close()
    throw translate(error)
  }
  const group = createGroup(db, options.groupCommit?.most ?? 500)
  const reads = createTurnReads(statements, cache)
  const logs = openLogs(statements)
  let closed = false

  function table(name: string): Table {
    const found = tables.get(rules.collection(name).name)
    if (!found) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
    return found
  }

  function queue(name: string): Queue {
    const found = queues.get(name)
    if (found) return found
    const made = openQueue(table(name), rules.queue(name).queue, statements)
    queues.set(name, made)
    return made
  }

  const savepoint = createSavepoint(db, statements)
  const application: Application = { savepoint, statements, logs, table }

  function answer(tenant: string | null, read: Read): Found {
    if ('get' in read) {
      const from = table(read.get)
      const row = from.cached(tenant, read.key) ?? from.get(tenant, read.key)
      return { rows: row ? [row] : [], total: null }
    }
    if ('counter' in read) return logs.total(read.counter)
    if ('log' in read) return logs.entries(read.log, read.partition, read.after, read.take)
    return listRows(statements, table(read.list), tenant, read)
  }

  function open(): void {
    if (closed) throw new StoreError('closed', 'the store is closed')
  }

  async function look<T>(read: () => T): Promise<T> {
    open()
    return reads.run(read)
  }

  function moveLog(mode: 'PASSIVE' | 'TRUNCATE') {
    const [moved] = db.pragma(`wal_checkpoint(${mode})`) as [
      { readonly busy: number; readonly log: number; readonly checkpointed: number },
    ]
    return moved
  }

  return {
    async read(tenant, asked) {
      rules.checkReads(tenant, asked)
      return look(() => asked.map((read) => answer(tenant, read)))
    },
    async commit(set) {
      open()
      rules.checkSet(set)
      return group.run(prepareSet(application, set))
    },
    lanes: (query) => look(() => queue(query.in).lanes(query)),
    nextDue: (query) => look(() => queue(query.in).nextDue()),
    async claim(query) {
      open()
      rules.checkClaim(query)
      const from = queue(query.in)
      return group.run(() => savepoint.around(() => from.claim(query)))
    },
    async scrub() {
      open()
      try {
        group.flush()
        if (moveLog('TRUNCATE').busy)
          throw new StoreError('busy', 'another connection still reads the write-ahead log')
      } catch (error) {
        throw translate(error)
      }
    },
    async close() {
      if (closed) return
      closed = true
      reads.flush()
      group.flush()
      close()
    },
    checkpoint() {
      open()
      const { log, checkpointed } = moveLog('PASSIVE')
      return { pages: log, moved: checkpointed }
    },
  }
}
