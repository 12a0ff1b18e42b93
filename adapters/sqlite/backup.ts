import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { StoreError } from '@countersign/core/ports'
import { openExisting } from './driver.ts'
import { translate } from './errors.ts'
import { makePrivate, syncFile } from './files.ts'

/** Where a backup lies, and its size. */
export interface BackupReport {
  readonly file: string
  readonly bytes: number
}

/**
 * Copies a store's or inbox's database, while others read and write it, into a new file with mode 0600: one snapshot,
 * checked and synced before it has its name. Blocks the thread until it is done; meanwhile the write-ahead log can not
 * shrink.
 */
export function backupDatabase(options: {
  readonly file: string
  /** Must not be there. */
  readonly to: string
}): BackupReport {
  const { file, to } = options
  if (existsSync(to))
    throw new StoreError('malformed', `${to} is there already: expected the name of a new file`)
  const draft = `${to}.partial`
  rmSync(draft, { force: true })
  try {
    copySnapshot(file, draft)
    syncFile(draft)
    renameSync(draft, to)
    syncFile(to)
  } catch (error) {
    rmSync(draft, { force: true })
    throw translate(error)
  }
  return { file: to, bytes: statSync(to).size }
}

function copySnapshot(file: string, draft: string): void {
  if (!existsSync(file)) throw new StoreError('io', `there is no database ${file}`)
  const from = openExisting(file)
  try {
    // An empty file is what VACUUM INTO takes besides none.
    makePrivate(draft)
    from.prepare('VACUUM INTO ?').run([draft])
  } finally {
    from.close()
  }
  const copy = openExisting(draft)
  try {
    const found = copy.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok')
      throw new StoreError('corrupt', `integrity_check found the copy damaged: ${found}`)
  } finally {
    copy.close()
  }
}
