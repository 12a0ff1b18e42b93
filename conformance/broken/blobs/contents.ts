import { StoreError } from '@countersign/core/ports'
import type { BrokenRow } from './broken-row.ts'
import { piecesOf } from './host.ts'

const exactly = 'bytes come back exactly, none and a mebibyte included'
const absent = 'a path without an object reads as null'
const below = 'an object and others below its path stand side by side'
const replaced = 'an object replaces the one at its path, whole'
const reused = 'a buffer that the caller uses again changes nothing'

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Faults of what is put and got. */
export const brokenContents: readonly BrokenRow[] = [
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
]
