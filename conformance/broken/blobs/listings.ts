import { StoreError } from '@countersign/core/ports'
import type { BrokenRow } from './broken-row.ts'

const removed = 'a removed object is gone, others stay, and what is not there is passed over'
const listed = 'a listing is in the order of paths by bytes, from its cursor, by its prefix'
const committed = 'what is written in pieces is there from its commit on, not before'
const aborted = 'a writer that is aborted leaves nothing'
const snapshot = 'a reader sees the object as it was opened, and may end early'
const elsewhere = 'a path that leads elsewhere is refused'
const none = 'of several objects, a refused path lets none be put'

/** Faults of what is removed, listed, written in pieces and refused. */
export const brokenListings: readonly BrokenRow[] = [
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
