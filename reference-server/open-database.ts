import { collections, logs } from '@countersign/core'
import type { Observer, Store } from '@countersign/core/ports'
import {
  behind,
  DriverError,
  highWaterOf,
  lockDatabase,
  openSqliteStore,
  type StoreFiles,
  writeLockHolder,
} from '@countersign/sqlite'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import { LostWritesError } from './lost-writes.ts'
import type { ProbedStore } from './readiness.ts'

export interface OpenDatabase {
  readonly store: Store
  /** What readiness asks. */
  readonly probed: ProbedStore
  /** Of a database that lies in files; null for a server's. */
  readonly file: {
    readonly sizes: () => StoreFiles
    /** Raises its high-water mark to `now`. */
    readonly mark: (now: number) => Promise<void>
  } | null
  /** Lets a restore replace the file; after the store was closed. */
  unlock(): void
}

interface Surroundings {
  readonly logger: Logger
  readonly observer: Observer
}

/** Opens the database of a server. `onFault` is told when nothing can be written any more. */
export async function openDatabase(
  config: Config,
  around: Surroundings,
  onFault: (error: Error) => void,
): Promise<OpenDatabase> {
  return config.databaseUrl === null
    ? openFile(config.database, around, onFault)
    : openServer(config.databaseUrl)
}

/** Several processes may share it; each tries again by itself what a server that comes back can do. */
async function openServer(url: string): Promise<OpenDatabase> {
  // Loaded by those alone who have it.
  const { openPostgresStore } = await import('@countersign/postgres')
  const store = await openPostgresStore({ url, collections, logs })
  return {
    store,
    probed: {
      probe: store.probe,
      failures: () => ({ count: 0, last: null }),
      waitsFor: () => null,
    },
    file: null,
    unlock: () => {},
  }
}

/**
 * The file is not replaced while it is open. Throws a LostWritesError where it is behind its high-water mark, and a
 * ConfigError where the driver of SQLite that is installed is not for this Node.
 */
function openFile(
  database: string,
  { logger, observer }: Surroundings,
  onFault: (error: Error) => void,
): OpenDatabase {
  const lock = lockFile(database)
  try {
    const highWater = highWaterOf(database)
    if (highWater.kept < highWater.marked)
      throw new LostWritesError(behind(database, highWater), database)
    const store = openSqliteStore({
      file: database,
      collections,
      logs,
      writerThread: true,
      onWriterEnded: onFault,
      observer,
      onUpgrade: ({ changes, backup }) =>
        logger.warn({ changes, backup }, 'upgrading the database; a copy from before is kept'),
    })
    return {
      store,
      probed: {
        probe: store.probe,
        failures: store.readFailures,
        waitsFor: () => lockHolderOf(database),
      },
      file: { sizes: store.files, mark: store.mark },
      unlock: lock.release,
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The first that needs the driver. */
function lockFile(database: string): ReturnType<typeof lockDatabase> {
  try {
    return lockDatabase(database, 'shared')
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    throw new ConfigError([error.message], { cause: error })
  }
}

/** Who holds the write lock of the database, in words; null where nobody does. */
function lockHolderOf(database: string): string | null {
  const holder = writeLockHolder(database)
  if (holder === null) return null
  const { pid, command, stopped } = holder
  if (pid === process.pid) return 'this process itself holds the write lock: a commit takes long'
  const state = stopped ? 'is stopped: let it go on (kill -CONT) or end it' : 'goes on'
  const name = pid === 0 ? 'a process of another container' : `process ${pid} (${command})`
  return `${name} holds the write lock of ${database}, and ${state}`
}
