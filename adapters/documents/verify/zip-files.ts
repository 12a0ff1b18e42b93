import type { Readable } from 'node:stream'
import { type Entry, openPromise, type ZipFile } from 'yauzl'

/** A ZIP file that is read member by member. */
export interface ZipReader {
  readonly entries: readonly Entry[]
  /** The member's bytes; rejects for damaged ones. */
  read(entry: Entry): Promise<Readable>
  close(): void
}

/** Opens a ZIP file and reads its directory; rejects for what is none, and for names that lead outside. */
export async function openZip(path: string): Promise<ZipReader> {
  const zip: ZipFile = await openPromise(path, {
    lazyEntries: true,
    autoClose: false,
    strictFileNames: true,
  })
  try {
    const entries = await entriesOf(zip)
    return { entries, read: (entry) => zip.openReadStreamPromise(entry), close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

function entriesOf(zip: ZipFile): Promise<readonly Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('entry', (entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', reject)
    zip.readEntry()
  })
}
