import {
  type BrokenAnchor,
  collections,
  logs as declared,
  findBrokenAnchors,
} from '@countersign/core'
import { nativePrimitives } from '@countersign/node'
import { checkDatabase, openSqliteReader } from '@countersign/sqlite'
import { blobsOf, blobsOption, type LostBlobs, linesOf, lostBlobs } from './blobs.ts'
import { databaseOf, databaseOption, type Subcommand } from './subcommand.ts'

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

  --database FILE    the database, or a backup of it (default: COUNTERSIGN_DATABASE)
  --blobs DIRECTORY  its blobs (default: COUNTERSIGN_BLOBS, or FILE.blobs)

It prints the head of each log. Kept elsewhere, a head shows later that nothing before it was
changed or cut off.

Exit status: 0 all is well, 1 a problem was found, 2 wrong arguments.
`,
  options: { ...databaseOption, ...blobsOption },
  positionals: [],
  run: async (given, around) => {
    const database = databaseOf(given, around)
    const { problems: found, highWater, logs } = checkDatabase(database, { collections })
    const directory = blobsOf(given, around, database)
    // A damaged database may have any records.
    const lost = found.length > 0 ? null : await lookedThrough(database, directory)
    const broken = lost === null || 'reason' in lost ? [] : await brokenAnchors(database)
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

/** A database whose schema was not upgraded yet can be checked, and its records not be read. */
async function lookedThrough(
  database: string,
  directory: string,
): Promise<LostBlobs | { readonly reason: string }> {
  return lostBlobs(database, directory).catch((error: Error) => ({ reason: error.message }))
}

/** More are counted by nobody: the first ones say where the ledger was changed. */
const mostBroken = 100

async function brokenAnchors(database: string): Promise<readonly BrokenAnchor[]> {
  const reader = openSqliteReader({ file: database, collections, logs: declared })
  const broken: BrokenAnchor[] = []
  try {
    for await (const each of findBrokenAnchors(reader, nativePrimitives)) {
      broken.push(each)
      if (broken.length === mostBroken) break
    }
  } finally {
    reader.close()
  }
  return broken
}
