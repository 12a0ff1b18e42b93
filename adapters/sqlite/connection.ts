import { StoreError } from '@countersign/core/ports'
import { openDatabase, type SqliteDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { makePrivate } from './files.ts'

/** The database that a store or an inbox opens: a file, or an open one. */
export interface ConnectionOptions {
  /** Made if it is not there; never on a network file system. */
  readonly file?: string
  /** A better-sqlite3 database that the caller opened, and closes; the pragmas are set on it all the same. */
  readonly database?: SqliteDatabase
  /** How long another process may hold the write lock (default 5000); the thread waits. */
  readonly busyTimeoutMs?: number
  /** Looks through the whole file when opening (default true); minutes for one of many gigabytes. */
  readonly quickCheck?: boolean
}

export interface Connection {
  readonly db: SqliteDatabase
  close(): void
}

/**
 * SQLite before 3.51.3 can lose committed transactions when two connections write and checkpoint at once
 * (the WAL-reset bug, https://sqlite.org/wal.html); 3.44.6 and 3.50.7 carry the fix too.
 */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major > 3
  if (minor === 44) return patch >= 6
  if (minor === 50) return patch >= 7
  return minor > 51 || (minor === 51 && patch >= 3)
}

const incompatible = (message: string): StoreError => new StoreError('incompatible', message)

/** Sets what durability and safety need on this connection, and reads it back: a second open of a file may have other defaults. */
function prepare(db: SqliteDatabase, busyTimeoutMs: number): void {
  const set = (pragma: string, value: string | number, expected: unknown = value) => {
    db.pragma(`${pragma} = ${value}`)
    const found = db.pragma(pragma, { simple: true })
    if (found !== expected)
      throw incompatible(
        `PRAGMA ${pragma} is ${found}, expected ${expected}; is this SQLite built without it?`,
      )
  }
  const version = String(db.prepare('SELECT sqlite_version()').pluck().get())
  if (!isSafeVersion(version))
    throw incompatible(
      `SQLite ${version} can lose committed transactions (WAL-reset bug): expected 3.51.3 or later, 3.50.7 or 3.44.6`,
    )
  if (db.memory) throw incompatible('a database in memory keeps nothing: expected a file')
  if (db.readonly) throw incompatible('the database was opened for reading alone')
  if (db.inTransaction) throw incompatible('the database that was given is within a transaction')
  set('busy_timeout', busyTimeoutMs)
  set('journal_mode', 'wal')
  // better-sqlite3 is built with synchronous=NORMAL for a file that is in WAL mode already.
  set('synchronous', 'FULL', 2)
  // macOS alone: a plain fsync there leaves the bytes in the drive's cache.
  set('fullfsync', 'ON', 1)
  set('foreign_keys', 'ON', 1)
  set('trusted_schema', 'OFF', 0)
  set('temp_store', 'MEMORY', 2)
  set('secure_delete', 'ON', 1)
  // 32 MiB of pages in memory; after a burst the write-ahead log is cut back to 64 MiB.
  set('cache_size', -32_768)
  set('journal_size_limit', 67_108_864)
}

function check(db: SqliteDatabase): void {
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok')
    throw new StoreError('corrupt', `quick_check found the database damaged: ${found}`)
}

function openPrivate(file: string): SqliteDatabase {
  // SQLite's own name for a database in memory, which is refused below, is no file's.
  if (file !== ':memory:') makePrivate(file)
  return openDatabase(file)
}

/** Opens or takes over a connection, makes it durable, and checks the file. */
export function connect(options: ConnectionOptions): Connection {
  const { file, database } = options
  if ((file === undefined) === (database === undefined))
    throw new StoreError('malformed', 'expected either a file or a database')
  let db: SqliteDatabase | undefined
  try {
    db = database ?? openPrivate(file as string)
    prepare(db, options.busyTimeoutMs ?? 5000)
    if (options.quickCheck ?? true) check(db)
  } catch (error) {
    if (file !== undefined) db?.close()
    throw translate(error)
  }
  const opened = db
  return {
    db: opened,
    close: () => {
      if (file !== undefined) opened.close()
    },
  }
}
