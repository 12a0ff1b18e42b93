import { existsSync, renameSync, rmSync } from 'node:fs'
import { copyBlobs } from '@countersign/node'
import { backupDatabase, syncFile } from '@countersign/sqlite'
import { blobsBeside } from '../config.ts'
import { blobsOf, blobsOption, type LostBlobs, linesOf, lostBlobs } from './blobs.ts'
import { CommandError, databaseOf, databaseOption, type Subcommand } from './subcommand.ts'

/** Snapshots that are tried until one has all of its blobs in the copy. */
const tries = 3

export const backup: Subcommand = {
  summary: 'copy the database and its blobs while the server runs',
  help: `Usage: countersign backup TO [--database FILE] [--blobs DIRECTORY] [--json]

Copies the database as it is at one moment into the new file TO, mode 0600, and the blobs of its
records into the directory TO.blobs. The server may run and need not be told. TO has its name only
when both are whole, checked and on the disk.

  TO                 a file that is not there yet; keep it and TO.blobs on another machine
  --database FILE    the database (default: COUNTERSIGN_DATABASE)
  --blobs DIRECTORY  its blobs (default: COUNTERSIGN_BLOBS, or FILE.blobs)

On one file system the blobs get a second name and take no room: nobody changes them. The copy
holds everything, secrets and content as they are sealed: without the master key of the server it
is worth nothing, so keep that too, elsewhere.

Exit status: 0 done, 1 refused, or done though blobs were lost before, which are named.

  countersign backup /backups/countersign-$(date +%F).sqlite
`,
  options: { ...databaseOption, ...blobsOption },
  positionals: ['TO'],
  run: async (given, around) => {
    const database = databaseOf(given, around)
    const from = blobsOf(given, around, database)
    const [to = ''] = given.positionals
    const { bytes, blobs, lost } = await backUp({ database, from, to })
    return {
      ok: lost.count === 0,
      text: [
        `${to}: a checked copy of ${database}, ${bytes} bytes`,
        `${blobsBeside(to)}: ${blobs.objects} blobs, ${blobs.bytes} bytes`,
        ...(lost.count > 0 ? [`${lost.count} blobs were not there whole:`] : []),
        ...linesOf(lost).map((line) => `  ${line}`),
        '',
      ].join('\n'),
      facts: {
        database,
        backup: to,
        bytes,
        blobs: { directory: blobsBeside(to), ...blobs },
        lost,
      },
    }
  },
}

/**
 * A blob lies there before its record is committed, and longer than the record. So the blobs before the snapshot and
 * those after it are all that it needs, but for those that were made and removed between the two: then another snapshot
 * is made, which no longer has their records.
 */
async function backUp({ database, from, to }: Record<'database' | 'from' | 'to', string>) {
  const target = blobsBeside(to)
  const [draft, blobsDraft] = [`${to}.draft`, `${target}.partial`]
  // A backup was killed when its blobs had their name, and its database not yet.
  if (existsSync(draft) && !existsSync(blobsDraft) && !existsSync(to))
    rmSync(target, { recursive: true, force: true })
  for (const each of [to, target])
    if (existsSync(each))
      throw new CommandError(`${each} is there already: expected the name of a new one`)
  const discard = () => {
    for (const each of [draft, blobsDraft]) rmSync(each, { recursive: true, force: true })
  }
  discard()
  try {
    await copyBlobs({ from, to: blobsDraft })
    let before: LostBlobs | null = null
    for (let left = tries; ; left--) {
      const { bytes } = backupDatabase({ file: database, to: draft })
      const blobs = await copyBlobs({ from, to: blobsDraft })
      const lost = await lostBlobs(draft, blobsDraft)
      // The same ones again: they were lost before.
      if (lost.count > 0 && left > 1 && !isSame(lost, before)) {
        before = lost
        rmSync(draft)
        continue
      }
      renameSync(blobsDraft, target)
      renameSync(draft, to)
      syncFile(to)
      return { bytes, blobs, lost }
    }
  } catch (error) {
    discard()
    throw error
  }
}

function isSame(one: LostBlobs, other: LostBlobs | null): boolean {
  const pathsOf = ({ first }: LostBlobs) => first.map(({ path }) => path).join()
  return other !== null && one.count === other.count && pathsOf(one) === pathsOf(other)
}
