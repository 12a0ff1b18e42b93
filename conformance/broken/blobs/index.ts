import { type BlobStore, StoreError } from '@countersign/core/ports'
import type { OpenBlobs } from '../../blobs/suite.ts'

/** A blob store that the suite has to fail, by the test that is named. */
export interface BrokenBlobs {
  readonly name: string
  /** The name of the test without its `blobs: `. */
  readonly killedBy: string
  host(): BlobHost
}

/** What the suite is given of a blob store under test. */
export interface BlobHost {
  create(): Promise<OpenBlobs>
  reopen(open: OpenBlobs): Promise<OpenBlobs>
}

type Objects = Map<string, Uint8Array>
/** Members that are broken, over the sound store. */
type Change = (blobs: BlobStore, objects: Objects) => Partial<BlobStore>

const form = /^[a-z0-9_-][a-z0-9._-]*(?:\/[a-z0-9_-][a-z0-9._-]*)*$/

/** A blob store in memory that outlives its closing; sound without faults. */
export function blobHost(
  faults: { readonly change?: Change; readonly survive?: (objects: Objects) => Objects } = {},
): BlobHost {
  const kept = new WeakMap<OpenBlobs, Objects>()
  const openOn = (objects: Objects): OpenBlobs => {
    const sound = soundBlobs(objects)
    const open = { blobs: { ...sound, ...faults.change?.(sound, objects) }, close: async () => {} }
    kept.set(open, objects)
    return open
  }
  return {
    create: async () => openOn(new Map()),
    reopen: async (open) => {
      const objects = new Map(kept.get(open))
      return openOn(faults.survive ? faults.survive(objects) : objects)
    },
  }
}

function soundBlobs(objects: Objects): BlobStore {
  const check = (path: string) => {
    if (path.length > 512 || !form.test(path)) throw new StoreError('malformed', `path ${path}`)
  }
  return {
    async put(given) {
      for (const { path } of given) check(path)
      for (const { path, bytes } of given) objects.set(path, bytes.slice())
    },
    async get(path) {
      check(path)
      return objects.get(path)?.slice() ?? null
    },
    async open(path) {
      check(path)
      const bytes = objects.get(path)
      return bytes ? { size: bytes.length, pieces: piecesOf(bytes.slice()) } : null
    },
    async create(path) {
      check(path)
      let pieces: Uint8Array[] | null = []
      return {
        async write(piece) {
          if (!pieces) throw new StoreError('closed', 'the writer has ended')
          pieces.push(piece.slice())
        },
        async commit() {
          if (!pieces) throw new StoreError('closed', 'the writer has ended')
          objects.set(path, new Uint8Array(pieces.flatMap((piece) => [...piece])))
          pieces = null
        },
        async abort() {
          pieces = null
        },
      }
    },
    async remove(paths) {
      for (const path of paths) check(path)
      for (const path of paths) objects.delete(path)
    },
    async list({ prefix, after, take }) {
      return [...objects]
        .filter(([path]) => path.startsWith(prefix) && (after === null || path > after))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, take)
        .map(([path, { length }]) => ({ path, size: length }))
    },
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

const exactly = 'bytes come back exactly, none and a mebibyte included'
const absent = 'a path without an object reads as null'
const below = 'an object and others below its path stand side by side'
const replaced = 'an object replaces the one at its path, whole'
const reused = 'a buffer that the caller uses again changes nothing'
const removed = 'a removed object is gone, others stay, and what is not there is passed over'
const listed = 'a listing is in the order of paths by bytes, from its cursor, by its prefix'
const committed = 'what is written in pieces is there from its commit on, not before'
const aborted = 'a writer that is aborted leaves nothing'
const snapshot = 'a reader sees the object as it was opened, and may end early'
const elsewhere = 'a path that leads elsewhere is refused'
const none = 'of several objects, a refused path lets none be put'
const restarted = 'what was told done is there after a restart'

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type Row = readonly [name: string, killedBy: string, change: Change]

const rows: readonly Row[] = [
  [
    'cuts an object at a mebibyte',
    exactly,
    (blobs) => ({
      put: (given) =>
        blobs.put(given.map(({ path, bytes }) => ({ path, bytes: bytes.subarray(0, 1_048_576) }))),
    }),
  ],
  [
    'takes an empty object for none',
    exactly,
    (blobs) => ({
      get: async (path) => {
        const found = await blobs.get(path)
        return found?.length === 0 ? null : found
      },
    }),
  ],
  [
    'loses the last piece of a reader',
    exactly,
    (blobs) => ({
      open: async (path) => {
        const reader = await blobs.open(path)
        if (!reader) return null
        const cut = Math.floor((reader.size - 1) / 65_536) * 65_536
        const bytes = (await blobs.get(path)) ?? new Uint8Array()
        return { size: reader.size, pieces: piecesOf(bytes.subarray(0, cut)) }
      },
    }),
  ],
  [
    'takes a directory for an empty object',
    absent,
    (blobs, objects) => ({
      get: async (path) =>
        [...objects.keys()].some((each) => each.startsWith(`${path}/`))
          ? new Uint8Array()
          : blobs.get(path),
    }),
  ],
  [
    'rejects where there is no object',
    absent,
    (blobs) => ({
      get: async (path) => {
        const found = await blobs.get(path)
        if (!found) throw new StoreError('io', 'no such file')
        return found
      },
    }),
  ],
  [
    'removes what lies below an object with it',
    below,
    (blobs, objects) => ({
      remove: async (paths) => {
        const under = [...objects.keys()].filter((each) =>
          paths.some((path) => each.startsWith(`${path}/`)),
        )
        await blobs.remove([...paths, ...under])
      },
    }),
  ],
  [
    'writes over the beginning of what was there',
    replaced,
    (blobs) => ({
      put: async (given) => {
        for (const { path, bytes } of given) {
          const whole = (await blobs.get(path)) ?? new Uint8Array()
          const longer = new Uint8Array(Math.max(whole.length, bytes.length))
          longer.set(whole)
          longer.set(bytes)
          await blobs.put([{ path, bytes: longer }])
        }
      },
    }),
  ],
  [
    'keeps the first object of a path',
    replaced,
    (blobs, objects) => ({
      put: (given) => blobs.put(given.filter(({ path }) => !objects.has(path))),
    }),
  ],
  [
    'keeps the buffer of the caller',
    reused,
    (blobs) => ({
      put: async (given) => {
        await pause()
        await blobs.put(given)
      },
    }),
  ],
  [
    'hands out the bytes that it keeps',
    reused,
    (_, objects) => ({ get: async (path) => objects.get(path) ?? null }),
  ],
  [
    'writes into the place of an object at once',
    'of many puts at once one path holds one of them, whole',
    (blobs, objects) => ({
      put: async (given) => {
        for (const { path, bytes } of given) {
          const half = bytes.length >> 1
          objects.set(path, bytes.slice(0, half))
          await pause()
          const first = (await blobs.get(path)) ?? new Uint8Array()
          objects.set(path, new Uint8Array([...first, ...bytes.subarray(half)]))
        }
      },
    }),
  ],
  [
    'rejects the removal of what is not there',
    removed,
    (blobs, objects) => ({
      remove: async (paths) => {
        if (paths.some((path) => !objects.has(path))) throw new StoreError('io', 'no such file')
        await blobs.remove(paths)
      },
    }),
  ],
  [
    'removes the first of several',
    removed,
    (blobs) => ({ remove: (paths) => blobs.remove(paths.filter((path) => path !== paths[0])) }),
  ],
  [
    'lists in the order of putting',
    listed,
    (_, objects) => ({
      list: async ({ prefix, after, take }) =>
        [...objects]
          .filter(([path]) => path.startsWith(prefix) && (after === null || path > after))
          .slice(0, take)
          .map(([path, { length }]) => ({ path, size: length })),
    }),
  ],
  [
    'lists directory by directory',
    listed,
    (blobs) => ({
      list: async (query) =>
        (await blobs.list(query)).toSorted((a, b) =>
          a.path.replaceAll('/', ' ') < b.path.replaceAll('/', ' ') ? -1 : 1,
        ),
    }),
  ],
  [
    'takes a prefix for a directory',
    listed,
    (blobs) => ({
      list: async (query) => {
        const found = await blobs.list(query)
        return query.prefix === ''
          ? found
          : found.filter(({ path }) => path.startsWith(query.prefix.replace(/\/?$/, '/')))
      },
    }),
  ],
  [
    'gives the object of the cursor again',
    listed,
    (blobs, objects) => ({
      list: async (query) => {
        const found = await blobs.list(query)
        const at = query.after === null ? undefined : objects.get(query.after)
        if (!at || query.after === null) return found
        return [{ path: query.after, size: at.length }, ...found].slice(0, query.take)
      },
    }),
  ],
  [
    'shows what is being written',
    committed,
    (blobs, objects) => ({
      create: async (path) => {
        const writer = await blobs.create(path)
        objects.set(path, new Uint8Array())
        return writer
      },
    }),
  ],
  [
    'drops what was there at a late abort',
    committed,
    (blobs, objects) => ({
      create: async (path) => {
        const writer = await blobs.create(path)
        return { ...writer, abort: async () => void objects.delete(path) }
      },
    }),
  ],
  [
    'keeps what was written before an abort',
    aborted,
    (blobs) => ({
      create: async (path) => {
        const writer = await blobs.create(path)
        return { ...writer, abort: () => writer.commit().catch(() => {}) }
      },
    }),
  ],
  [
    'reads the object as it is now',
    snapshot,
    (blobs, objects) => ({
      open: async (path) => {
        const reader = await blobs.open(path)
        if (!reader) return null
        const now = async function* () {
          yield objects.get(path) ?? new Uint8Array()
        }
        return { ...reader, pieces: now() }
      },
    }),
  ],
  [
    'follows dots',
    elsewhere,
    (blobs) => ({ get: async (path) => (path.includes('..') ? null : blobs.get(path)) }),
  ],
  [
    'takes capitals',
    elsewhere,
    (blobs) => ({
      put: async (given) => void (given[0]?.path === 'A' || (await blobs.put(given))),
    }),
  ],
  [
    'puts what comes before a refused path',
    none,
    (blobs) => ({
      put: async (given) => {
        for (const each of given) await blobs.put([each])
      },
    }),
  ],
]

/** Blob stores that the suite must fail, each by the test that is named. */
export const brokenBlobs: readonly BrokenBlobs[] = [
  ...rows.map(([name, killedBy, change]) => ({ name, killedBy, host: () => blobHost({ change }) })),
  {
    name: 'forgets at a restart',
    killedBy: restarted,
    host: () => blobHost({ survive: () => new Map() }),
  },
  {
    name: 'has again after a restart what was removed',
    killedBy: restarted,
    host: () => blobHost({ survive: (objects) => objects.set('a/2', new Uint8Array(9)) }),
  },
]
