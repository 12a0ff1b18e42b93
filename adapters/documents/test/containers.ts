import { closeSync, openSync, writeSync } from 'node:fs'
import type { EvidenceKeys } from '@countersign/core/evidence'
import { verifyFile } from '@countersign/documents/verify'
import { type Entry, openPromise } from 'yauzl'
import { bytesOf, fileOf } from './packs.ts'

/** Changes the byte at a place of a pack in place, once for each value; tells those that stay verified. */
export async function changedBytes(
  pack: Uint8Array,
  keys: EvidenceKeys | null,
  places: Iterable<number>,
  valuesOf: (byte: number, at: number) => readonly number[],
): Promise<readonly string[]> {
  const file = fileOf(pack)
  const open = openSync(file, 'r+')
  const unseen: string[] = []
  try {
    for (const at of places) {
      const was = pack[at] ?? 0
      for (const value of valuesOf(was, at)) {
        writeSync(open, Uint8Array.of(value), 0, 1, at)
        const { verdict } = await verifyFile(file, keys)
        if (verdict === 'verified') unseen.push(`byte ${at}: ${was} became ${value}`)
      }
      writeSync(open, Uint8Array.of(was), 0, 1, at)
    }
  } finally {
    closeSync(open)
  }
  return unseen
}

/** So many places of a length, as far from each other as they can be. */
export function spread(length: number, count: number): readonly number[] {
  const many = Math.min(length, count)
  return Array.from({ length: many }, (_, at) => Math.floor((at * length) / many))
}

/** The members of a ZIP file as a reader reads them that is not ours. */
export async function readByOther(file: string): Promise<readonly (readonly [string, Buffer])[]> {
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true })
  const entries = await new Promise<readonly Entry[]>((resolve, reject) => {
    const found: Entry[] = []
    zip.on('entry', (entry) => {
      found.push(entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(found))
    zip.on('error', reject)
    zip.readEntry()
  })
  const members: (readonly [string, Buffer])[] = []
  for (const entry of entries) {
    const content = await bytesOf(await zip.openReadStreamPromise(entry))
    members.push([entry.fileName, Buffer.from(content)])
  }
  zip.close()
  return members
}
