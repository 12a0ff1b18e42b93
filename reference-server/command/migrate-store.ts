import { existsSync, renameSync } from 'node:fs'
import { resolve } from 'node:path'
import { collections, logs } from '@countersign/core'
import { importContents } from '@countersign/postgres'
import { checkDatabase, foldAlone, lockDatabase, openSqliteContents } from '@countersign/sqlite'
import { withoutPassword } from '../config.ts'
import { blobsOf, blobsOption } from './blobs.ts'
import {
  CommandError,
  databaseOf,
  databaseOption,
  type Report,
  type Subcommand,
  UsageError,
} from './subcommand.ts'

export const migrateStore: Subcommand = {
  summary: 'move the database from its file to PostgreSQL',
  help: `Usage: countersign migrate-store [--database FILE] [--blobs DIRECTORY] [--json]

Moves all that the SQLite database holds to the PostgreSQL database of COUNTERSIGN_DATABASE_URL,
which must hold nothing of Countersign yet. Stop the server first.

  --database FILE    the database (default: COUNTERSIGN_DATABASE)
  --blobs DIRECTORY  its blobs (default: COUNTERSIGN_BLOBS, or FILE.blobs), which stay there

The database is checked first, as by countersign check. Then rows, counters and logs are copied in
one transaction and read back: it is committed when each table and the logs have the same number
and the same SHA-256 on both sides, and each log is one chain. What fails, or is killed, leaves
PostgreSQL empty. Afterwards the file is FILE.migrated, and a server does not start on FILE.

Done again, as after a kill at the very end, it compares, and finishes.

Then start the servers with COUNTERSIGN_DATABASE_URL, COUNTERSIGN_BLOBS and the same master key.

  countersign migrate-store
  countersign check
`,
  options: { ...databaseOption, ...blobsOption },
  positionals: [],
  run: async (given, around) => {
    const database = resolve(databaseOf(given, around))
    const { COUNTERSIGN_DATABASE_URL: url } = around.environment
    if (!url) throw new UsageError('no PostgreSQL database is named: set COUNTERSIGN_DATABASE_URL')
    if (!existsSync(database)) throw new CommandError(`there is no database ${database}`)
    const lock = lockDatabase(database, 'alone')
    try {
      return await migrateAlone(database, url, resolve(blobsOf(given, around, database)))
    } finally {
      lock.release()
    }
  },
}

/** No server has the file open, and none starts meanwhile. */
async function migrateAlone(database: string, url: string, blobs: string): Promise<Report> {
  const kept = `${database}.migrated`
  if (existsSync(kept))
    throw new CommandError(`${kept} is there already: it is of a move before this one`)
  foldAlone(database)
  const { problems } = checkDatabase(database, { collections })
  if (problems.length > 0)
    throw new CommandError(
      `${database} is not sound, or was not upgraded by a start of this server:\n${problems.join('\n')}`,
    )
  const contents = openSqliteContents({ file: database, collections, logs })
  try {
    const moved = await importContents({ url, collections, logs, contents })
    renameSync(database, kept)
    const to = withoutPassword(url)
    const parts = { ...moved.collections, counters: moved.counters, 'log entries': moved.entries }
    return {
      ok: true,
      text: [
        moved.copied
          ? `${to} holds all of ${database}, as both were read:`
          : `${to} held all of ${database} already, as both were read:`,
        ...Object.entries(parts)
          .filter(([, { count }]) => count > 0)
          .map(([name, { count, sha256 }]) => `  ${name}: ${count}, SHA-256 ${sha256}`),
        ...moved.logs.map(
          ({ log, partition, entries, hash }) =>
            `  ${log} ${partition}: ${entries} entries, head ${hash}`,
        ),
        `  what was moved is kept as ${kept}`,
        `  start the servers with COUNTERSIGN_DATABASE_URL and COUNTERSIGN_BLOBS=${blobs}`,
        '',
      ].join('\n'),
      facts: { database, to, kept, blobs, ...moved },
    }
  } finally {
    contents.close()
  }
}
