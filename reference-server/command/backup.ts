import { backupDatabase } from '@countersign/sqlite'
import { databaseOf, databaseOption, type Subcommand } from './subcommand.ts'

export const backup: Subcommand = {
  summary: 'copy the database into a new file while the server runs',
  help: `Usage: countersign backup TO [--database FILE] [--json]

Copies the database as it is at one moment into the new file TO, mode 0600. The server may run and
need not be told. TO has its name only when it is whole, checked and on the disk.

  TO               a file that is not there yet; keep it on another machine
  --database FILE  the database (default: COUNTERSIGN_DATABASE)

The copy holds everything, secrets as they are sealed: without the master key of the server it is
worth nothing, so keep that too, elsewhere.

  countersign backup /backups/countersign-$(date +%F).sqlite
`,
  options: databaseOption,
  positionals: ['TO'],
  run: async (given, around) => {
    const database = databaseOf(given, around)
    const [to = ''] = given.positionals
    const { bytes } = backupDatabase({ file: database, to })
    return {
      ok: true,
      text: `${to}: a checked copy of ${database}, ${bytes} bytes\n`,
      facts: { database, backup: to, bytes },
    }
  },
}
