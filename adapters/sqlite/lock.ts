import { StoreError } from '@countersign/core/ports'
import { openDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { makePrivate } from './files.ts'

/** How a process uses a database: beside others, or so that no other may open it. */
export type LockMode = 'shared' | 'alone'

/** A lock that is held; the operating system ends it with the process. */
export interface DatabaseLock {
  release(): void
}

/** Path of the empty file that is locked in the place of a database; it stays when the lock is released. */
export const lockFileOf = (file: string): string => `${file}.lock`

const waitMs = { shared: 2_000, alone: 1_000 }

/**
 * Locks a database as a whole, over a replacement of its file: servers share it, and what puts another file in its
 * place holds it alone. Waits on this thread, by default 2 s to share it and 1 s to hold it alone, then throws a StoreError with the code `busy`.
 */
export function lockDatabase(
  file: string,
  mode: LockMode,
  busyTimeoutMs: number = waitMs[mode],
): DatabaseLock {
  const path = lockFileOf(file)
  makePrivate(path)
  const db = openDatabase(path)
  try {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`)
    if (mode === 'alone') db.exec('BEGIN EXCLUSIVE')
    else {
      // A transaction that reads, and takes its lock with the first read.
      db.exec('SAVEPOINT shared')
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
    }
  } catch (error) {
    db.close()
    const told = translate(error)
    if (told instanceof StoreError && told.code === 'busy')
      throw new StoreError('busy', `${inUse[mode](file)} (the lock is ${path})`, { cause: error })
    throw told
  }
  return { release: () => db.close() }
}

const inUse = {
  shared: (file: string) => `${file} is being restored: start again when that has ended`,
  alone: (file: string) => `another process has ${file} open: stop it first`,
}
