import type { StreamedFile } from '@countersign/core'
import { unwrap } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { evidenceWorld } from './world.ts'

/** The service over memory of a test. */
export type World = Awaited<ReturnType<typeof evidenceWorld>>

/** All bytes of a stream. */
export async function taken(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** A package that was started, taken whole. */
export async function takenWhole(started: Promise<Result<StreamedFile>>) {
  const file = unwrap(await started)
  return { ...file, bytes: await taken(file.pieces) }
}

/** Paths in a readable archive. */
export function pathsIn(bytes: Buffer): readonly string[] {
  return [...bytes.toString().matchAll(/^> (.*)$/gm)].map(([, path]) => path ?? '')
}

/** The content of a file in a readable archive, whatever lines it has. */
export function fileIn(bytes: Buffer, path: string): string {
  const text = bytes.toString()
  const begin = text.indexOf(`> ${path}\n`)
  if (begin < 0) throw new Error(`no ${path} in ${pathsIn(bytes).join(', ')}`)
  const from = begin + path.length + 3
  const end = text.indexOf('\n> ', from)
  return text.slice(from, end < 0 ? undefined : end).replace(/\n$/, '')
}

/** Sealed copies of packages that lie in the blob store. */
export function packageBlobs({ blobs }: World): readonly string[] {
  return [...blobs.objects().keys()].filter((path) => path.includes('/packages/'))
}
