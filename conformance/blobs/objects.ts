import type { BlobStore } from '@countersign/core/ports'
import { expect, expectEqual, expectRejection } from '../assert.ts'

/** Bytes that tell their place, so that a cut, a swap or a repeat shows. */
export function bytes(length: number): Uint8Array {
  const all = new Uint8Array(length)
  for (let at = 0; at < length; at++) all[at] = at * 31 + (at >> 8)
  return all
}

/** Pieces as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** An object as its reader gives it, whose size has to be right; null without one. */
export async function readPieces(blobs: BlobStore, path: string): Promise<Uint8Array | null> {
  const reader = await blobs.open(path)
  if (!reader) return null
  const pieces: Uint8Array[] = []
  for await (const piece of reader.pieces) pieces.push(piece.slice())
  const whole = joined(pieces)
  expectEqual(reader.size, whole.length, `the size of ${path} at its opening`)
  return whole
}

/** Paths and sizes as the store lists them. */
export async function sizesOf(blobs: BlobStore): Promise<readonly (readonly [string, number])[]> {
  const found = await blobs.list({ prefix: '', after: null, take: 1_000 })
  return found.map(({ path, size }) => [path, size])
}

/** Paths as the store lists them. */
export async function pathsOf(blobs: BlobStore, prefix = ''): Promise<readonly string[]> {
  return (await blobs.list({ prefix, after: null, take: 1_000 })).map(({ path }) => path)
}

/** Paths and sizes as a model has them. */
export function sizesIn(
  model: ReadonlyMap<string, Uint8Array>,
): readonly (readonly [string, number])[] {
  return [...model]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { length }]) => [path, length])
}

/** That a call rejects with the code `malformed`. */
export async function refused(call: () => Promise<unknown>, what: string): Promise<void> {
  const error = await expectRejection((async () => call())(), what)
  const { code } = error as { readonly code?: unknown }
  expect(code === 'malformed', `${what}: expected the code malformed, got ${String(code)}`)
}
