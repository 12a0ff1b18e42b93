import { StoreError } from '../base/errors/store-error.ts'
import type { BlobStore } from '../base/ports/blob-store.ts'
import { checkBlobPath } from '../base/store-kit/blob-path.ts'

/** One call of the blob store, as a fault hook sees it. */
export interface BlobOperation {
  readonly kind: 'put' | 'get' | 'open' | 'create' | 'write' | 'commit' | 'remove' | 'list'
  readonly paths: readonly string[]
}

/**
 * Called before each operation, and again after `put`, `write`, `commit` and `remove`. What it throws, the caller gets;
 * a promise that it returns delays the operation.
 */
export type BlobFaults = (
  point: 'before' | 'after',
  operation: BlobOperation,
) => void | Promise<void>

/** A blob store in memory, for tests. */
export interface MemoryBlobs extends BlobStore {
  /** All objects, for a test's own oracle. */
  objects(): ReadonlyMap<string, Uint8Array>
}

/** The whole blob store port in memory; nothing is durable. */
export function createMemoryBlobs(
  options: { readonly faults?: BlobFaults; readonly pieceBytes?: number } = {},
): MemoryBlobs {
  const { faults = () => {}, pieceBytes = 65_536 } = options
  const objects = new Map<string, Uint8Array>()

  async function read<T>(operation: BlobOperation, run: () => T): Promise<T> {
    await faults('before', operation)
    return run()
  }

  async function write(operation: BlobOperation, run: () => void): Promise<void> {
    await faults('before', operation)
    run()
    await faults('after', operation)
  }

  return {
    objects: () => objects,
    put: async (given) => {
      // `slice` of a Buffer is no copy.
      const copies = given.map(({ path, bytes }) => ({
        path: checked(path),
        bytes: new Uint8Array(bytes),
      }))
      await write({ kind: 'put', paths: copies.map(({ path }) => path) }, () => {
        for (const { path, bytes } of copies) objects.set(path, bytes)
      })
    },
    get: (path) =>
      read({ kind: 'get', paths: [path] }, () => objects.get(checked(path))?.slice() ?? null),
    open: (path) =>
      read({ kind: 'open', paths: [path] }, () => {
        const bytes = objects.get(checked(path))
        return bytes ? { size: bytes.length, pieces: piecesOf(bytes.slice(), pieceBytes) } : null
      }),
    create: async (path) => {
      const paths = [checked(path)]
      await faults('before', { kind: 'create', paths })
      let pieces: Uint8Array[] | null = []
      const openPieces = () => {
        if (!pieces) throw new StoreError('closed', `the writer of ${path} has ended`)
        return pieces
      }
      return {
        write: (piece) => {
          const copy = new Uint8Array(piece)
          return write({ kind: 'write', paths }, () => void openPieces().push(copy))
        },
        commit: () =>
          write({ kind: 'commit', paths }, () => {
            objects.set(path, joined(openPieces()))
            pieces = null
          }),
        abort: async () => {
          pieces = null
        },
      }
    },
    remove: async (paths) => {
      const given = paths.map(checked)
      await write({ kind: 'remove', paths: given }, () => {
        for (const path of given) objects.delete(path)
      })
    },
    list: ({ prefix, after, take }) =>
      read({ kind: 'list', paths: [prefix] }, () =>
        [...objects]
          .filter(([path]) => path.startsWith(prefix) && (after === null || path > after))
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, take)
          .map(([path, { length }]) => ({ path, size: length })),
      ),
  }
}

function checked(path: string): string {
  checkBlobPath(path)
  return path
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
