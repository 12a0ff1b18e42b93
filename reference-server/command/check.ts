import { checkDatabase } from '@countersign/sqlite'
import { databaseOf, databaseOption, type Subcommand } from './subcommand.ts'

export const check: Subcommand = {
  summary: 'look for damage, lost writes and a changed audit log',
  help: `Usage: countersign check [--database FILE] [--json]

Reads the whole database without writing, also while the server runs:
  - its pages and indexes (quick_check)
  - the audit log of each organization, entry by entry along its chain of hashes
  - whether it is behind the high-water mark that the server keeps beside it (FILE.mark): then
    its write-ahead log was cut, or it is an older copy

  --database FILE  the database, or a backup of it (default: COUNTERSIGN_DATABASE)

It prints the head of each log. Kept elsewhere, a head shows later that nothing before it was
changed or cut off.

Exit status: 0 all is well, 1 a problem was found, 2 wrong arguments.
`,
  options: databaseOption,
  positionals: [],
  run: async (given, around) => {
    const database = databaseOf(given, around)
    const { problems, highWater, logs } = checkDatabase(database)
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
        '',
      ].join('\n'),
      facts: { database, problems, highWater, logs },
    }
  },
}
