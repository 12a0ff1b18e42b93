import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '@countersign/core/ports'

/** Sizes of a store's files in bytes, for metrics and alerts. */
export interface StoreFiles {
  readonly databaseBytes: number
  /** Of the write-ahead log; it grows while a reader holds an old snapshot, and is cut back after a checkpoint. */
  readonly walBytes: number
  /** What an ordinary user may still write to the disk of the database. */
  readonly freeDiskBytes: number
}

export function measureFiles(file: string): StoreFiles {
  const { bavail, bsize } = statfsSync(dirname(file))
  return {
    databaseBytes: sizeOf(file),
    walBytes: sizeOf(`${file}-wal`),
    freeDiskBytes: bavail * bsize,
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Which file a path led to: its device and inode, as text. */
export type FileIdentity = string

/** Null where there is no file. */
export function identityOf(file: string): FileIdentity | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : null
}

/** Throws unless the path still leads to the file that was opened by it. */
export function checkIdentity(file: string, opened: FileIdentity | null): void {
  const found = identityOf(file)
  if (found === opened) return
  throw new StoreError(
    'io',
    `${file} was ${found === null ? 'moved away or removed' : 'replaced by another file'} while it was open: what is written now is lost with the next start; put the right file in place and restart`,
  )
}
