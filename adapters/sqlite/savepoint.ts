import type { SqliteDatabase } from './driver.ts'
import type { Statements } from './statements.ts'

/** What lets one work fail within a transaction that others share. */
export interface Savepoint {
  begin(): void
  keep(): void
  /** Undoes what came since `begin`; does nothing where an error has undone the whole transaction. */
  undo(): void
  /** Runs the work whole, or leaves nothing of it and throws. */
  around<T>(work: () => T): T
}

export function createSavepoint(db: SqliteDatabase, statements: Statements): Savepoint {
  const begin = () => statements.of('SAVEPOINT one_work').run()
  const keep = () => statements.of('RELEASE one_work').run()

  function undo(): void {
    if (!db.inTransaction) return
    statements.of('ROLLBACK TO one_work').run()
    keep()
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
        undo()
        throw error
      }
    },
  }
}
