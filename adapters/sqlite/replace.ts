import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '@countersign/core/ports'
import { openDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { syncFile, syncPath } from './files.ts'
import { identityOf } from './store-files.ts'

/**
 * Folds a database's write-ahead log into it, so that it is one file alone; rejects with `busy` while any other
 * connection, of this process or another, has it open.
 */
export function foldAlone(file: string): void {
  const db = openDatabase(file)
  try {
    db.pragma('busy_timeout = 1000')
    // Leaving WAL mode takes a lock that no other connection may share.
    const mode = db.pragma('journal_mode = delete', { simple: true })
    if (mode !== 'delete')
      throw new StoreError('busy', `another process has ${file} open: stop it first`)
  } catch (error) {
    const told = translate(error)
    if (told instanceof StoreError && told.code === 'busy')
      throw new StoreError('busy', `another process has ${file} open: stop it first`, {
        cause: error,
      })
    throw told
  } finally {
    db.close()
  }
  syncFile(file)
}

/**
 * Puts a folded database in the place of another, which is kept under the name `aside` with its write-ahead log. The
 * place is never empty: a kill leaves the one or the other there. Where a log lies beside the file, a kill may leave it
 * without its log, which then lies beside `aside`.
 */
export function replaceDatabase(file: string, by: string, aside: string): void {
  if (existsSync(file)) keepAs(file, aside)
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
  // An index of the log that is gone, which the next connection would make again.
  rmSync(`${file}-shm`, { force: true })
  renameSync(by, file)
  syncPath(dirname(file))
}

/** A second name of the same file; a copy where the file system has none. */
function keepAs(file: string, aside: string): void {
  if (identityOf(aside) === identityOf(file)) return
  try {
    linkSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    copyFileSync(file, aside, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    syncPath(aside)
  }
}
