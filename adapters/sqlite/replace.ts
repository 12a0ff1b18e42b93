import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '@countersign/core/ports'
import { openDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { syncFile, syncPath } from './files.ts'

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
 * Puts a folded database in the place of another, which is kept under the name `aside` with its write-ahead log. A kill
 * in between leaves the place empty, and both files under their names.
 */
export function replaceDatabase(file: string, by: string, aside: string): void {
  for (const suffix of ['', '-wal'])
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`)
  // An index of the log that is gone, which the next connection would make anew.
  rmSync(`${file}-shm`, { force: true })
  renameSync(by, file)
  syncPath(dirname(file))
}
