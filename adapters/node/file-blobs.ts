import { randomBytes } from 'node:crypto'
import { constants, mkdirSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type BlobReader,
  type BlobStore,
  type BlobWriter,
  StoreError,
} from '@countersign/core/ports'
import { checkBlobPath } from '@countersign/core/store-kit'
import { inParallel, listBlobs, objectSuffix } from './blob-files.ts'

/** Options of `fileBlobs`. */
export interface FileBlobsOptions {
  /** Made if it is absent; readable by its owner alone, as all that lies in it. */
  readonly directory: string
  /** Whether the directory is made (default true); without it, objects can be read alone. */
  readonly make?: boolean
}

const directoryMode = 0o700
const fileMode = 0o600
/** Objects written at once. */
const writers = 8
const pieceBytes = 64 * 1024
/** Files that are not yet objects. No path leads here: its segments begin with no dot. */
const unfinished = '.unfinished'
/** Unfinished files of a process that died; a live one takes far less to write an object. */
const staleMs = 24 * 60 * 60 * 1_000

/**
 * Blobs as files below a directory. Each is written aside, synced and renamed, and its directory is synced, so that after
 * a crash it is whole or absent. Several processes may share the directory.
 */
export function fileBlobs(options: FileBlobsOptions): BlobStore {
  const root = resolve(options.directory)
  if (options.make !== false)
    mkdirSync(join(root, unfinished), { recursive: true, mode: directoryMode })
  const made = new Set<string>()
  let swept: Promise<void> | null = null

  const fileOf = (path: string) => {
    checkBlobPath(path)
    return join(root, `${path}${objectSuffix}`)
  }

  /** Makes a directory durable together with those above it. */
  async function makeDirectory(directory: string): Promise<void> {
    if (made.has(directory) || directory === root) return
    await makeDirectory(dirname(directory))
    await mkdir(directory, { mode: directoryMode }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await syncDirectory(dirname(directory))
    made.add(directory)
  }

  async function startFile(): Promise<{ readonly handle: FileHandle; readonly aside: string }> {
    swept ??= sweep(join(root, unfinished))
    await swept
    const aside = join(root, unfinished, randomBytes(16).toString('hex'))
    return { handle: await open(aside, 'wx', fileMode), aside }
  }

  /** Puts a synced file in its place; the caller syncs its directory. */
  async function place(aside: string, file: string): Promise<void> {
    await makeDirectory(dirname(file))
    await rename(aside, file).catch(async (error: NodeJS.ErrnoException) => {
      // Somebody removed the directory since it was made.
      if (error.code !== 'ENOENT') throw error
      made.clear()
      await makeDirectory(dirname(file))
      await rename(aside, file)
    })
  }

  async function write(file: string, bytes: Uint8Array): Promise<void> {
    const { handle, aside } = await startFile()
    try {
      try {
        await handle.writeFile(bytes)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await place(aside, file)
    } catch (error) {
      await rm(aside, { force: true })
      throw error
    }
  }

  return {
    put: (objects) => {
      const files = objects.map(({ path, bytes }) => ({ file: fileOf(path), bytes: bytes.slice() }))
      return told(async () => {
        await inParallel(files, writers, ({ file, bytes }) => write(file, bytes))
        await syncDirectories(files.map(({ file }) => file))
      })
    },
    get: async (path) => {
      const file = fileOf(path)
      return told(async () => {
        const bytes = await unlessAbsent(readFile(file, { flag: constants.O_RDONLY | noFollow }))
        return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      })
    },
    open: async (path) => {
      const file = fileOf(path)
      return told(async () => {
        const handle = await unlessAbsent(open(file, constants.O_RDONLY | noFollow))
        if (!handle) return null
        const { size } = await handle.stat()
        return { size, pieces: piecesOf(handle) }
      })
    },
    create: async (path) => {
      const file = fileOf(path)
      return told(async () => writerOf(await startFile(), file, place))
    },
    remove: async (paths) => {
      const files = paths.map(fileOf)
      return told(async () => {
        await inParallel(files, writers, (file) => rm(file, { force: true }))
        await syncDirectories(files)
      })
    },
    list: (query) => told(() => listBlobs(root, query)),
  }
}

/** A link in the place of an object leads elsewhere: refused. Windows has no such flag. */
const noFollow = constants.O_NOFOLLOW ?? 0

function writerOf(
  { handle, aside }: { readonly handle: FileHandle; readonly aside: string },
  file: string,
  place: (aside: string, file: string) => Promise<void>,
): BlobWriter {
  let state: 'open' | 'ended' = 'open'
  const use = () => {
    if (state === 'ended') throw new StoreError('closed', `the writer of ${file} has ended`)
  }
  async function end(): Promise<void> {
    if (state === 'ended') return
    state = 'ended'
    await handle.close()
  }
  return {
    write: (piece) => {
      const copy = piece.slice()
      return told(async () => {
        use()
        await handle.appendFile(copy)
      })
    },
    commit: () =>
      told(async () => {
        use()
        await handle.sync()
        await end()
        await place(aside, file)
        await syncDirectory(dirname(file))
      }),
    abort: () =>
      told(async () => {
        await end()
        await rm(aside, { force: true })
      }),
  }
}

/** No generator: one that is ended before its first piece would leave the file open. */
function piecesOf(handle: FileHandle): BlobReader['pieces'] {
  let ended = false
  const end = async () => {
    if (ended) return
    ended = true
    await handle.close()
  }
  const pieces: BlobReader['pieces'] = {
    [Symbol.asyncIterator]: () => pieces,
    next: () =>
      told(async () => {
        if (ended) return { done: true, value: undefined }
        const buffer = new Uint8Array(pieceBytes)
        const { bytesRead } = await handle.read(buffer, 0, pieceBytes)
        if (bytesRead > 0) return { done: false, value: buffer.subarray(0, bytesRead) }
        await end()
        return { done: true, value: undefined }
      }),
    return: async () => {
      await end()
      return { done: true, value: undefined }
    },
  }
  return pieces
}

async function sweep(directory: string): Promise<void> {
  const before = Date.now() - staleMs
  for (const name of await readdir(directory)) {
    const file = join(directory, name)
    const found = await unlessAbsent(stat(file))
    if (found && found.mtimeMs < before) await rm(file, { force: true })
  }
}

/** Waits until the names of these files are on the disk. */
export async function syncDirectories(files: readonly string[]): Promise<void> {
  for (const directory of new Set(files.map((file) => dirname(file))))
    await syncDirectory(directory)
}

/** Waits until the names in a directory are on the disk; a directory that is not there has none. */
async function syncDirectory(directory: string): Promise<void> {
  // Windows has no handle of a directory, and keeps names by itself.
  if (process.platform === 'win32') return
  const handle = await unlessAbsent(open(directory, 'r'))
  if (!handle) return
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Null for what is not there. */
export async function unlessAbsent<T>(found: Promise<T>): Promise<T | null> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Failures of the file system as those of a store. */
async function told<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StoreError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw code === 'ENOSPC' || code === 'EDQUOT'
      ? new StoreError('full', `no room for a blob: ${message}; free some space on its disk`, {
          cause: error,
        })
      : new StoreError('io', `the directory of blobs failed: ${message}`, { cause: error })
  }
}
