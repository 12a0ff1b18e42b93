import { StoreError } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'
import { isFault } from './errors.ts'
import type { Statements } from './statements.ts'

/** What lets one work fail within a transaction that others share. */
export interface Savepoint {
  begin(): void
  keep(): void
  /**
   * Undoes what came since `begin`; does nothing where an error has undone the whole transaction. Where that fails, half
   * of a work may stand, so it throws a fault, for which the whole transaction is rolled back: `cause` if that is one.
   */
  undo(cause?: unknown): void
  /** Runs the work whole, or leaves nothing of it and throws. */
  around<T>(work: () => T): T
}

export function createSavepoint(db: SqliteDatabase, statements: Statements): Savepoint {
  const begin = () => statements.of('SAVEPOINT one_work').run()
  const keep = () => statements.of('RELEASE one_work').run()

  function undo(cause?: unknown): void {
    if (!db.inTransaction) return
    try {
      statements.of('ROLLBACK TO one_work').run()
      keep()
    } catch (error) {
      if (isFault(cause)) throw cause
      if (isFault(error)) throw error
      throw new StoreError('io', 'a savepoint could not be rolled back', { cause: error })
    }
  }

  return {
    begin,
    keep,
    undo,
    around(work) {
      begin()
      try {
        const made = work()
        keep()
        return made
      } catch (error) {
        undo(error)
        throw error
      }
    },
  }
}
