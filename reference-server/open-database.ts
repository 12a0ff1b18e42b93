import { collections, logs } from '@countersign/core'
import type { Observer } from '@countersign/core/ports'
import {
  behind,
  highWaterOf,
  lockDatabase,
  openSqliteStore,
  type SqliteStore,
} from '@countersign/sqlite'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { LostWritesError } from './lost-writes.ts'

export interface OpenDatabase {
  readonly sqlite: SqliteStore
  /** Lets a restore replace the file; after the store was closed. */
  unlock(): void
}

/**
 * Opens the database of a server, which is not replaced while it is open. Throws a LostWritesError where it is behind
 * its high-water mark. `onFault` is told when nothing can be written any more.
 */
export function openDatabase(
  { database }: Config,
  { logger, observer }: { readonly logger: Logger; readonly observer: Observer },
  onFault: (error: Error) => void,
): OpenDatabase {
  const lock = lockDatabase(database, 'shared')
  try {
    const highWater = highWaterOf(database)
    if (highWater.kept < highWater.marked)
      throw new LostWritesError(behind(database, highWater), database)
    const sqlite = openSqliteStore({
      file: database,
      collections,
      logs,
      writerThread: true,
      onWriterEnded: onFault,
      observer,
      onUpgrade: ({ changes, backup }) =>
        logger.warn({ changes, backup }, 'upgrading the database; a copy from before is kept'),
    })
    return { sqlite, unlock: lock.release }
  } catch (error) {
    lock.release()
    throw error
  }
}
