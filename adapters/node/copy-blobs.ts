import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inParallel, objectSuffix } from './blob-files.ts'
import { syncDirectories, unlessAbsent } from './file-blobs.ts'

/** What `copyBlobs` found to copy, and what of it was there already. */
export interface CopiedBlobs {
  readonly objects: number
  readonly bytes: number
}

/** Options of `copyBlobs`. */
export interface CopyBlobsOptions {
  /** A directory of `fileBlobs`; others may read and write it during the copy. */
  readonly from: string
  /** Made if it is absent. */
  readonly to: string
  /** Whether an object takes the place of another at its path (default false: what is there stays). */
  readonly replace?: boolean
}

/** Objects copied at once. */
const atOnce = 8
const directoryMode = 0o700
/** The file system, or two of them, have no second names. */
const unlinkable = ['EXDEV', 'EPERM', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/**
 * Copies every object of a directory of blobs into another, durably: by a second name of its file, which nobody ever
 * changes, and by its bytes where there are none. What is removed during the copy is passed over. May be repeated after a kill.
 */
export async function copyBlobs(options: CopyBlobsOptions): Promise<CopiedBlobs> {
  const { from, to, replace = false } = options
  let objects = 0
  let bytes = 0
  await mkdir(to, { recursive: true, mode: directoryMode })

  async function copyDirectory(path: string): Promise<void> {
    const entries = await unlessAbsent(readdir(join(from, path), { withFileTypes: true }))
    const files = (entries ?? []).filter(
      (each) => each.isFile() && each.name.endsWith(objectSuffix),
    )
    const copied: string[] = []
    if (files.length > 0) await mkdir(join(to, path), { recursive: true, mode: directoryMode })
    await inParallel(files, atOnce, async ({ name }) => {
      const target = join(to, path, name)
      const size = await copyObject(join(from, path, name), target, replace)
      if (size === null) return
      objects += 1
      bytes += size
      copied.push(target)
    })
    await syncDirectories(copied)
    for (const each of entries ?? [])
      if (each.isDirectory() && !each.name.startsWith('.'))
        await copyDirectory(join(path, each.name))
    if (path !== '') await syncDirectories([join(to, path)])
  }

  await copyDirectory('')
  await syncDirectories([to])
  return { objects, bytes }
}

/** The size of the object; null where it is gone. */
async function copyObject(file: string, target: string, replace: boolean): Promise<number | null> {
  const found = await unlessAbsent(stat(file))
  if (!found) return null
  const there = await unlessAbsent(stat(target))
  if (there && (!replace || (there.ino === found.ino && there.dev === found.dev))) return found.size
  // Objects end with a suffix that this name lacks, so that a rest of a kill is none.
  const aside = join(dirname(target), `.copy-${randomBytes(8).toString('hex')}`)
  try {
    const linked = await unlessAbsent(nameAgain(file, aside))
    if (linked === null) return null
    await rename(aside, target)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  return found.size
}

/** A second name of the file, else a synced copy. */
async function nameAgain(file: string, aside: string): Promise<true> {
  try {
    await link(file, aside)
  } catch (error) {
    if (!unlinkable.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(file, aside, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    const handle = await open(aside, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  return true
}
