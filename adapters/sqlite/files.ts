import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readable and writable by its owner alone. */
const privateMode = 0o600

/**
 * Makes the file, empty, unless it is there. SQLite gives the write-ahead log and its index the mode of the database
 * file, so they are private too. The mode of a file that is there is left as its owner set it.
 */
export function makePrivate(file: string): void {
  try {
    // The mode of an open is cut by the umask; what an unusual one took away, the owner needs.
    closeSync(openSync(file, 'wx', privateMode))
    chmodSync(file, privateMode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Waits until a file's bytes, or a directory's names, are on the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Waits until a file and its name are on the disk. */
export function syncFile(file: string): void {
  syncPath(file)
  // Windows has no handle of a directory, and keeps names by itself.
  if (process.platform !== 'win32') syncPath(dirname(file))
}
