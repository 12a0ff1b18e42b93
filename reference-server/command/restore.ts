import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { collections, logs, type Restored, recordRestore } from '@countersign/core'
import { copyBlobs } from '@countersign/node'
import {
  backupDatabase,
  checkDatabase,
  foldAlone,
  lockDatabase,
  openSqliteStore,
  readMark,
  replaceDatabase,
  writeMark,
} from '@countersign/sqlite'
import { blobsBeside } from '../config.ts'
import { blobsOf, blobsOption, linesOf, lostBlobs } from './blobs.ts'
import {
  CommandError,
  databaseOf,
  databaseOption,
  type Report,
  type Subcommand,
} from './subcommand.ts'

export const restore: Subcommand = {
  summary: 'put a backup in the place of the database',
  help: `Usage: countersign restore FROM [--database FILE] [--blobs DIRECTORY] [--json]

Puts the backup FROM in the place of the database, and the blobs of FROM.blobs to its blobs. Stop
the server first. The database that was there is kept beside it under another name, with its
write-ahead log; of its blobs those without a record go after a day.

  FROM             a backup; or the database itself, to go on with it as it is after the server
                   said that it has lost writes
  --database FILE  the database (default: COUNTERSIGN_DATABASE)
  --blobs DIRECTORY  its blobs (default: COUNTERSIGN_BLOBS, or FILE.blobs)

What happened since the backup is forgotten here, and not by others. So case versions and event
sequences go past all that receivers may have seen, all sessions end, and each organization's
audit log records it. Afterwards:
  - cases that were decided since are open again: applications may have acted on the decision
  - keys, members and webhooks are those of the backup: revoke again what was revoked since
  - events of that time are not in the recovery read

A restore that was interrupted is begun anew by the same command.

  countersign backup /backups/monday.sqlite         # while the server ran
  countersign restore /backups/monday.sqlite        # after it was stopped
  countersign check
`,
  options: { ...databaseOption, ...blobsOption },
  positionals: ['FROM'],
  run: async (given, around) => {
    const database = resolve(databaseOf(given, around))
    const from = resolve(given.positionals[0] ?? '')
    if (!existsSync(from)) throw new CommandError(`there is no backup ${from}`)
    const lock = lockDatabase(database, 'alone')
    try {
      return await restoreAlone(database, from, resolve(blobsOf(given, around, database)))
    } finally {
      lock.release()
    }
  },
}

/** No server has the database open, and none starts meanwhile; each step may be the last, and all may be done again. */
async function restoreAlone(database: string, from: string, blobs: string): Promise<Report> {
  const now = Date.now()
  const draft = `${database}.restoring`
  removeAll(draft)

  const damaged = existsSync(database) ? foldOrTell(database, from) : null
  backupDatabase({ file: from, to: draft })
  const { problems, highWater } = checkDatabase(draft)
  if (problems.length > 0) {
    rmSync(draft)
    throw new CommandError(`${from} is not sound:\n${problems.join('\n')}`)
  }
  const mark = Math.max(now, readMark(database), highWater.kept)
  const restored = await prepare(draft, { keptUntil: highWater.kept, now: mark })
  // Before their records: the database that is there has no use for them, and loses none.
  if (from !== database && existsSync(blobsBeside(from)))
    await copyBlobs({ from: blobsBeside(from), to: blobs, replace: true })
  const replaced = readMark(draft)
  // Its log is moved before it is: from here on a start on what is left is refused.
  if (existsSync(`${database}-wal`)) writeMark(database, replaced)
  const aside = freeName(database)
  replaceDatabase(database, draft, aside)
  writeMark(database, replaced)
  rmSync(`${draft}.mark`)
  const kept = existsSync(aside) ? aside : null
  const lost = await lostBlobs(database, blobs)
  return {
    ok: true,
    text: [
      `${database} is what ${from} held, marked ${timeOf(highWater.kept)}`,
      `  versions raised by ${restored.raisedBy}: ${rowsOf(restored)}; sessions have ended`,
      ...(kept ? [`  what was there is kept as ${kept}`] : []),
      ...(damaged ? [`  it could not be folded (${damaged}), so its -wal lies beside it`] : []),
      ...(lost.count > 0 ? [`  ${lost.count} blobs are not there whole:`] : []),
      ...linesOf(lost).map((line) => `    ${line}`),
      '  revoke again the keys, members and webhooks that were revoked since, then start the server',
      '',
    ].join('\n'),
    facts: { database, from, keptUntil: highWater.kept, ...restored, replaced: kept, lost },
  }
}

/** Null when the database is one file that nobody has open; else why it could not be read, which is no obstacle. */
function foldOrTell(database: string, from: string): string | null {
  try {
    foldAlone(database)
    return null
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string }
    if (code === 'busy' || from === database) throw error
    return message
  }
}

/** Brings the copy up to this program's schema, raises its versions and leaves it one file. */
async function prepare(
  draft: string,
  at: { readonly keptUntil: number; readonly now: number },
): Promise<Restored> {
  const store = openSqliteStore({ file: draft, collections, logs, backUpBeforeUpgrade: false })
  try {
    const restored = await recordRestore(store, at)
    await store.mark(at.now)
    return restored
  } finally {
    await store.close()
    foldAlone(draft)
  }
}

/** Removes what a restore that was killed left: files whose names begin with that of its draft. */
function removeAll(draft: string): void {
  const folder = dirname(draft)
  for (const name of readdirSync(folder))
    if (name.startsWith(basename(draft))) rmSync(join(folder, name))
}

/** The name under which the database is kept: a new one, or the one that a restore which was killed gave it. */
function freeName(database: string): string {
  for (let number = 1; ; number++) {
    const name = `${database}.replaced-${number}`
    if (isSameFile(name, database) || !(existsSync(name) || existsSync(`${name}-wal`))) return name
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  )
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

const timeOf = (ms: number) => (ms === 0 ? 'never' : new Date(ms).toISOString())

const rowsOf = ({ rows }: Restored) =>
  Object.entries(rows)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
