import {
  type BrokenAnchor,
  collections,
  logs as declared,
  findBrokenAnchors,
} from '@countersign/core'
import type { Store } from '@countersign/core/ports'
import { nativePrimitives } from '@countersign/node'
import { checkPostgres, openPostgresStore } from '@countersign/postgres'
import { checkDatabase, openSqliteReader } from '@countersign/sqlite'
import { withoutPassword } from '../config.ts'
import { blobsOf, blobsOption, type LostBlobs, linesOf, lostBlobsOf } from './blobs.ts'
import {
  type Arguments,
  databaseOf,
  databaseOption,
  type Subcommand,
  type Surroundings,
  UsageError,
} from './subcommand.ts'

export const check: Subcommand = {
  summary: 'look for damage, lost writes, and a changed audit log or anchor ledger',
  help: `Usage: countersign check [--database FILE] [--blobs DIRECTORY] [--json]

Reads the whole database without writing, also while the server runs:
  - its pages and indexes (integrity_check), and its schema: tables, columns, indexes, and that
    nothing else is there, such as a trigger
  - each row of each table, whose body is decoded
  - the audit log of each organization, entry by entry along its chain of hashes
  - whether it is behind the high-water mark that the server keeps beside it (FILE.mark): then
    its write-ahead log was cut, or it is an older copy
  - the anchor ledger of each organization: its chain, its signatures, and that each Merkle batch
    leads to its entry
  - whether the blob of each record is there whole, unless its content was erased

  --database FILE    the database, or a backup of it (default: COUNTERSIGN_DATABASE). Without it
                     and with COUNTERSIGN_DATABASE_URL, PostgreSQL is read: its indexes, rows
                     and logs, blobs and anchors
  --blobs DIRECTORY  its blobs (default: COUNTERSIGN_BLOBS, or FILE.blobs)

It prints the head of each log. Kept elsewhere, a head shows later that nothing before it was
changed or cut off.

Exit status: 0 all is well, 1 a problem was found, 2 wrong arguments.
`,
  options: { ...databaseOption, ...blobsOption },
  positionals: [],
  run: async (given, around) => {
    const place = placeOf(given, around)
    const { database, directory } = place
    const { problems: found, highWater, logs } = await lookAt(place)
    // A damaged database may have any records.
    const lost = found.length > 0 ? null : await lookedThrough(place)
    const broken = lost === null || 'reason' in lost ? [] : await brokenAnchors(place)
    const problems = [
      ...found,
      ...(lost === null || 'reason' in lost ? [] : linesOf(lost)),
      ...broken.map(
        ({ tenantId, sequence, fault }) => `anchor ${sequence} of ${tenantId}: ${fault}`,
      ),
    ]
    const ok = problems.length === 0
    return {
      ok,
      text: [
        ok
          ? `${database}: no problem found`
          : `${database}: ${problems.length} problem${problems.length === 1 ? '' : 's'} found`,
        ...problems.map((problem) => `  ${problem}`),
        ...logs.map(
          (head) => `  ${head.log} ${head.partition}: ${head.entries} entries, head ${head.hash}`,
        ),
        ...(lost !== null && 'reason' in lost
          ? [`  its blobs and anchors were not looked at: ${lost.reason}`]
          : []),
        '',
      ].join('\n'),
      facts: {
        database,
        problems,
        highWater,
        logs,
        blobs: { directory, lost },
        anchors: { broken },
      },
    }
  },
}

/** A file, or PostgreSQL where it has a URL. */
interface Place {
  /** As it is shown. */
  readonly database: string
  readonly url: string | null
  readonly directory: string
}

function placeOf(given: Arguments, around: Surroundings): Place {
  const { COUNTERSIGN_DATABASE_URL: url, COUNTERSIGN_BLOBS: blobs } = around.environment
  if (given.values.database !== undefined || !url) {
    const database = databaseOf(given, around)
    return { database, url: null, directory: blobsOf(given, around, database) }
  }
  const named = given.values.blobs ?? blobs
  if (typeof named !== 'string')
    throw new UsageError('no blobs are named: give --blobs DIRECTORY, or set COUNTERSIGN_BLOBS')
  return { database: withoutPassword(url), url, directory: named }
}

/** PostgreSQL keeps its own guard of lost writes, the write-ahead log: there is no mark beside it. */
async function lookAt({ database, url }: Place) {
  return url === null
    ? checkDatabase(database, { collections })
    : { ...(await checkPostgres({ url, collections, logs: declared })), highWater: null }
}

/** A database whose schema was not upgraded yet can be checked, and its records not be read. */
function lookedThrough(place: Place): Promise<LostBlobs | { readonly reason: string }> {
  return withReader(place, (reader) => lostBlobsOf(reader, place.directory)).catch(
    (error: Error) => ({ reason: error.message }),
  )
}

/** More are counted by nobody: the first ones say where the ledger was changed. */
const mostBroken = 100

function brokenAnchors(place: Place): Promise<readonly BrokenAnchor[]> {
  return withReader(place, async (reader) => {
    const broken: BrokenAnchor[] = []
    for await (const each of findBrokenAnchors(reader, nativePrimitives)) {
      broken.push(each)
      if (broken.length === mostBroken) break
    }
    return broken
  })
}

async function withReader<T>(
  { database, url }: Place,
  use: (reader: Pick<Store, 'read'>) => Promise<T>,
): Promise<T> {
  const reader =
    url === null
      ? openSqliteReader({ file: database, collections, logs: declared })
      : await openPostgresStore({ url, collections, logs: declared })
  try {
    return await use(reader)
  } finally {
    await reader.close()
  }
}
