import { brokenContents } from './contents.ts'
import { type BlobHost, blobHost } from './host.ts'
import { brokenListings } from './listings.ts'

export { type BlobHost, blobHost } from './host.ts'

/** A blob store that the suite has to fail, by the test that is named. */
export interface BrokenBlobs {
  readonly name: string
  /** The name of the test without its `blobs: `. */
  readonly killedBy: string
  host(): BlobHost
}

const restarted = 'what was told done is there after a restart'

/** Blob stores that the suite must fail, each by the test that is named. */
export const brokenBlobs: readonly BrokenBlobs[] = [
  ...[...brokenContents, ...brokenListings].map(([name, killedBy, change]) => ({
    name,
    killedBy,
    host: () => blobHost({ change }),
  })),
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
