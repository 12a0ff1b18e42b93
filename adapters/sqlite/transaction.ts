import { StoreError } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'

/**
 * Rolls back a transaction that an earlier failure left open. While one is open, a reader sees its old snapshot and a
 * writer holds the lock, so where the rollback fails too this throws, and nothing may run on the connection.
 */
export function endOpenTransaction(db: SqliteDatabase): void {
  if (!db.inTransaction) return
  try {
    db.exec('ROLLBACK')
  } catch (error) {
    // SQLite may have ended it all the same; what counts is looked at below.
    if (db.inTransaction) throw stillOpen(error)
  }
  if (db.inTransaction) throw stillOpen(undefined)
}

function stillOpen(cause: unknown): StoreError {
  return new StoreError(
    'io',
    'a transaction that failed could not be rolled back: restart the process, then check the disk and the database',
    { cause },
  )
}

/** The same where another error is on its way: what could not be ended is tried again before the next transaction. */
export function abandonTransaction(db: SqliteDatabase): void {
  try {
    endOpenTransaction(db)
  } catch {
    // The error that came first is the one to tell.
  }
}
