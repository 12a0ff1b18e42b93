import type { SqliteDatabase } from './driver.ts'
import { isUnread, translateLive } from './errors.ts'
import type { RowCache } from './row-cache.ts'
import type { Statements } from './statements.ts'
import { endOpenTransaction } from './transaction.ts'

/** Reads of one turn of the loop share a snapshot: its locks, and the look at who wrote meanwhile, cost as much as a row. */
export interface TurnReads {
  /** All that one call reads is of one moment, for another process may write between two statements. */
  run<T>(read: () => T): Promise<T>
  /** Runs what waits, now. */
  flush(): void
}

interface Waiting {
  /** Settles by itself when the read fails. */
  readonly run: () => void
  readonly fail: (error: unknown) => void
}

/** Tries at a page that could not be read, the first included: a disk that recovers costs nobody an answer. */
const mostReads = 3

/** Reads within a snapshot, again where a page could not be read and the snapshot is still there. */
function reread<T>(db: SqliteDatabase, read: () => T): T {
  for (let left = mostReads - 1; ; left--)
    try {
      return read()
    } catch (error) {
      if (left === 0 || !isUnread(error) || !db.inTransaction) throw error
    }
}

export function createTurnReads(
  db: SqliteDatabase,
  statements: Statements,
  cache: RowCache,
): TurnReads {
  let waiting: Waiting[] = []

  function snapshot(reads: readonly Waiting[]): void {
    // A snapshot that outlived its turn would answer all later reads from its moment.
    endOpenTransaction(db)
    try {
      statements.of('SAVEPOINT snapshot').run()
      cache.refresh()
      for (const { run } of reads) run()
      statements.of('RELEASE snapshot').run()
    } finally {
      endOpenTransaction(db)
    }
  }

  function flush(): void {
    if (waiting.length === 0) return
    const reads = waiting
    waiting = []
    try {
      snapshot(reads)
    } catch (error) {
      const told = translateLive(error)
      // Those that have their answer keep it.
      for (const { fail } of reads) fail(told)
    }
  }

  return {
    run: (read) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({
          run() {
            try {
              resolve(reread(db, read))
            } catch (error) {
              reject(translateLive(error))
            }
          },
          fail: reject,
        })
      }),
    flush,
  }
}
