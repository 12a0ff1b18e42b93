import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobEntry, BlobStore } from '@countersign/core/ports'

/** Ends the name of each object's file. No segment of a path has it, so that `a` and `a/b` can both be objects. */
export const objectSuffix = '@'

/** The objects of a directory in the order of their paths; directories that can't hold any of them are passed over. */
export async function listBlobs(
  root: string,
  { prefix, after, take }: Parameters<BlobStore['list']>[0],
): Promise<readonly BlobEntry[]> {
  const found: BlobEntry[] = []

  async function walk(directory: string, lead: string): Promise<void> {
    for (const each of ordered(await entriesOf(directory))) {
      if (found.length >= take) return
      const path = `${lead}${each.name}`
      if (each.directory) {
        const first = `${path}/`
        const matches = first.startsWith(prefix) || prefix.startsWith(first)
        const behind = after === null || first > after || after.startsWith(first)
        if (matches && behind) await walk(join(directory, each.name), first)
        continue
      }
      if (!path.startsWith(prefix) || (after !== null && path <= after)) continue
      const size = await sizeOf(join(directory, `${each.name}${objectSuffix}`))
      if (size !== null) found.push({ path, size })
    }
  }

  await walk(root, '')
  return found
}

interface Entry {
  readonly name: string
  readonly directory: boolean
}

/** Paths below a directory come where its name with a slash does. */
function ordered(entries: readonly Dirent[]): readonly Entry[] {
  const place = ({ name, directory }: Entry) => (directory ? `${name}/` : name)
  return entries
    .flatMap((entry): readonly Entry[] => {
      if (entry.isDirectory() && !entry.name.startsWith('.'))
        return [{ name: entry.name, directory: true }]
      if (entry.isFile() && entry.name.endsWith(objectSuffix))
        return [{ name: entry.name.slice(0, -objectSuffix.length), directory: false }]
      return []
    })
    .sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** Null for an object that has been removed. */
async function sizeOf(file: string): Promise<number | null> {
  return stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )
}

/** Runs for each item, so many at once; after a failure no other begins, and it is thrown once all have ended. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  let failed = false
  async function worker(): Promise<void> {
    while (next < items.length && !failed) {
      const item = items[next++] as T
      try {
        await run(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  const broken = ended.find((each) => each.status === 'rejected')
  if (broken) throw broken.reason
}
