import { resolve } from 'node:path'
import {
  type Collection,
  type Log,
  type Observer,
  type Store,
  StoreError,
} from '@countersign/core/ports'
import {
  createEncoder,
  createStoreRules,
  type Encoder,
  encodeSet,
  rowCodec,
} from '@countersign/core/store-kit'
import { bodyEncoding } from './body-encoding.ts'
import { type ConnectionOptions, connect } from './connection.ts'
import type { SqliteDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { raiseMark } from './high-water.ts'
import { encodeInTurns, isLarge } from './large-sets.ts'
import { migrate } from './migrate.ts'
import { readProbe } from './probe.ts'
import { answerRead } from './read-answers.ts'
import {
  checkIdentity,
  type FileIdentity,
  identityOf,
  measureFiles,
  type StoreFiles,
} from './store-files.ts'
import { openTables, type Tables } from './tables.ts'
import { createTurnReads } from './turn-reads.ts'
import { backupBeforeUpgrade, pendingUpgrade, type Upgrade } from './upgrade.ts'
import { createWriter, moveLog, type Writer } from './writer.ts'
import { startWriter } from './writer-thread.ts'

/** Options of `openSqliteStore`. */
export interface SqliteStoreOptions extends ConnectionOptions {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  /** `most`: change sets that share a transaction (default 500), which bounds how long the thread is held. */
  readonly groupCommit?: { readonly most?: number }
  /** Writes on a thread with a connection of its own (default false), so that this one never waits for the disk; needs `file`. */
  readonly writerThread?: boolean
  /** Copies a database with data beside itself before its schema is changed (default true), which needs room for it. */
  readonly backUpBeforeUpgrade?: boolean
  /** Is told what is about to change in a database with data, after the copy was made. */
  readonly onUpgrade?: (upgrade: Upgrade) => void
  /** Is told should that thread end and can't be started again: from then on every call rejects, and the process is to be restarted. */
  readonly onWriterEnded?: (error: StoreError) => void
  /** Is told each time that thread has ended by itself and is started again; what it had not answered rejected with `io`. */
  readonly onWriterRestart?: (error: StoreError) => void
  /** Hears `thread.restarted`, each time too. */
  readonly observer?: Observer
}

/** Reads that failed since the store was opened. */
export interface ReadFailures {
  readonly count: number
  /** Null while there was none. */
  readonly last: StoreError | null
}

/** A `Store` on SQLite with what operations need beside it. */
export interface SqliteStore extends Store {
  /**
   * Writes a row as large as an ordinary change, reads it back by the connection that reads, and looks whether the
   * path still leads to the open file; rejects with what is wrong.
   */
  probe(): Promise<void>
  /**
   * Raises the high-water mark of the database to `now` (ms), then that of the file beside it, which tells at the next
   * start whether the database has lost writes. Writes nothing where nothing was committed since the last mark began.
   */
  mark(now: number): Promise<void>
  /** Reads that failed because the system could not read, or the file is damaged; a probe tells of writes. */
  readFailures(): ReadFailures
  /** Sizes of its files, as the disk has them now. */
  files(): StoreFiles
  /** Moves what it can from the write-ahead log into the file; answers the log's pages and how many were moved. */
  checkpoint(): { readonly pages: number; readonly moved: number }
}

function writerOf(
  options: SqliteStoreOptions,
  db: SqliteDatabase,
  tables: Tables,
  identity: FileIdentity | null,
): Writer {
  const { file, writerThread, busyTimeoutMs, collections, logs, onWriterEnded, observer } = options
  const most = options.groupCommit?.most ?? 500
  if (!writerThread || file === undefined) return createWriter(db, tables, most)
  // The thread opens it later, whatever the process's working directory is by then.
  return startWriter(
    { file: resolve(file), identity, busyTimeoutMs, collections, logs, most },
    onWriterEnded,
    (error) => {
      observer?.event('thread.restarted', { thread: 'writing', error: error.message })
      options.onWriterRestart?.(error)
    },
  )
}

/** Brings the file up to what is declared; one with data is copied before. */
function upgrade(
  { backUpBeforeUpgrade = true, onUpgrade }: SqliteStoreOptions,
  db: SqliteDatabase,
  path: string,
  tables: Tables,
): void {
  const layouts = tables.all.map(({ layout }) => layout)
  const changes = pendingUpgrade(db, layouts)
  if (changes) {
    const backup = backUpBeforeUpgrade ? backupBeforeUpgrade(db, path) : null
    onUpgrade?.({ changes, backup })
  }
  migrate(db, layouts)
}

/** The store port on one SQLite file; several processes may open it, each write waits for its turn. */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  if (options.writerThread && options.file === undefined)
    throw new StoreError('malformed', 'writerThread: expected a file, got a database')
  const rules = createStoreRules(options)
  const { db, close } = connect(options)
  // Whoever changes directory later still means this file.
  const path = resolve(db.name)
  const identity = identityOf(path)
  const tables = openTables(db, rules)
  let writer: Writer
  try {
    upgrade(options, db, path, tables)
    writer = writerOf(options, db, tables, identity)
  } catch (error) {
    close()
    throw translate(error)
  }
  const { statements, cache, table } = tables
  const encoders = new Map<string, Encoder>(
    rules.collections.map((each) => [each.name, createEncoder(each, rowCodec(each, bodyEncoding))]),
  )
  const reads = createTurnReads(db, statements, cache)
  /** Commits that were asked for here, and claims that found something. */
  let writes = 0
  /** After the last mark: `writes`, and the version that tells of commits by other connections. */
  let marked: { readonly writes: number; readonly version: number } | null = null
  let failures: ReadFailures = { count: 0, last: null }
  let closed: Promise<void> | null = null

  function encoderOf(name: string): Encoder {
    const found = encoders.get(rules.collection(name).name)
    if (!found) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
    return found
  }

  function open(): void {
    if (closed) throw new StoreError('closed', 'the store is closed')
    // Who only reads must learn of it too: such a process is to be restarted.
    if (writer.fault) throw writer.fault
  }

  function count(error: unknown): never {
    if (error instanceof StoreError && (error.code === 'io' || error.code === 'corrupt'))
      failures = { count: failures.count + 1, last: error }
    throw error
  }

  async function look<T>(read: () => T): Promise<T> {
    open()
    return reads.run(read).catch(count)
  }

  async function closeAll(): Promise<void> {
    reads.flush()
    try {
      await writer.close()
    } finally {
      close()
    }
  }

  const store: SqliteStore = {
    async read(tenant, asked) {
      rules.checkReads(tenant, asked)
      return look(() => asked.map((read) => answerRead(tables, tenant, read)))
    },
    async commit(set) {
      open()
      if (isLarge(set)) {
        const encoded = await encodeInTurns(rules, encoderOf, set)
        // It may have been closed since.
        open()
        writes += 1
        return writer.commit(encoded)
      }
      rules.checkSet(set)
      writes += 1
      return writer.commit(encodeSet(encoderOf, set))
    },
    lanes: (query) => look(() => tables.queue(query.in).lanes(query)),
    nextDue: (query) => look(() => tables.queue(query.in).nextDue()),
    async claim(query) {
      open()
      rules.checkClaim(query)
      const claimed = await writer.claim(query)
      if (claimed.length > 0) writes += 1
      return claimed.map(table(query.in).read)
    },
    async probe() {
      open()
      checkIdentity(path, identity)
      const written = await writer.probe()
      const seen = await look(() => readProbe(statements))
      if (seen < written)
        throw new StoreError(
          'io',
          `reads do not see what was written (${seen} of ${written}): restart the process`,
        )
    },
    async mark(now) {
      const versionOf = () => look(() => statements.of('PRAGMA data_version').get() as [number])
      const [before] = await versionOf()
      if (marked?.writes === writes && marked.version === before) return
      // The version can't tell the mark's own commit from one of this process right behind it; the count can.
      const counted = writes + 1
      await raiseMark(store, path, now)
      const [version] = await versionOf()
      marked = { writes: counted, version }
    },
    readFailures: () => failures,
    files: () => measureFiles(path),
    async scrub() {
      open()
      await writer.scrub()
    },
    close() {
      closed ??= closeAll()
      return closed
    },
    checkpoint() {
      open()
      try {
        const { log, checkpointed } = moveLog(db, 'PASSIVE')
        return { pages: log, moved: checkpointed }
      } catch (error) {
        throw translate(error)
      }
    },
  }
  return store
}
