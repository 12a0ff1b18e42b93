import { type BlobStore, StoreError } from '@countersign/core/ports'
import type { OpenBlobs } from '../../blobs/suite.ts'

/** What the suite is given of a blob store under test. */
export interface BlobHost {
  create(): Promise<OpenBlobs>
  reopen(open: OpenBlobs): Promise<OpenBlobs>
}

/** What a store in memory holds. */
export type Objects = Map<string, Uint8Array>
/** Members that are broken, over the sound store. */
export type Change = (blobs: BlobStore, objects: Objects) => Partial<BlobStore>

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

/** Bytes as a reader gives them. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}
