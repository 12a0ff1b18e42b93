import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { collections, findLostBlobs, type LostBlob, logs } from '@countersign/core'
import type { Store } from '@countersign/core/ports'
import { fileBlobs } from '@countersign/node'
import { openSqliteReader } from '@countersign/sqlite'
import { blobsBeside } from '../config.ts'
import type { Arguments, Surroundings } from './subcommand.ts'

export const blobsOption = { blobs: { type: 'string' } } as const

/** The directory of blobs that belongs to a database: `--blobs`, the server's own, or the one beside it. */
export function blobsOf(
  { values }: Arguments,
  { environment }: Surroundings,
  database: string,
): string {
  if (typeof values.blobs === 'string' && values.blobs !== '') return values.blobs
  const { COUNTERSIGN_DATABASE: own, COUNTERSIGN_BLOBS: set } = environment
  const isOwn = own !== undefined && own !== '' && resolve(own) === resolve(database)
  return (isOwn && set) || blobsBeside(database)
}

/** What a look through the blobs found. */
export interface LostBlobs {
  readonly count: number
  /** The first of them. */
  readonly first: readonly LostBlob[]
}

const most = 100

/** Looks for the blob of every record of a file, which may be in use; writes nothing. */
export async function lostBlobs(database: string, directory: string): Promise<LostBlobs> {
  const reader = openSqliteReader({ file: database, collections, logs })
  try {
    return await lostBlobsOf(reader, directory)
  } finally {
    reader.close()
  }
}

/** The same for a store that is open. */
export async function lostBlobsOf(
  store: Pick<Store, 'read'>,
  directory: string,
): Promise<LostBlobs> {
  const blobs = existsSync(directory)
    ? fileBlobs({ directory, make: false })
    : { open: async () => null }
  const first: LostBlob[] = []
  let count = 0
  for await (const lost of findLostBlobs(store, blobs)) {
    count++
    if (first.length < most) first.push(lost)
  }
  return { count, first }
}

/** A line for each, for people. */
export function linesOf({ count, first }: LostBlobs): readonly string[] {
  return [
    ...first.map(
      ({ path, sessionId, fault }) =>
        `blob ${path}${sessionId === null ? '' : ` of session ${sessionId}`}: ${fault}`,
    ),
    ...(count > first.length ? [`and ${count - first.length} more`] : []),
  ]
}
