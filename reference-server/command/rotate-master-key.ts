import { otherUsersOf } from '@countersign/sqlite'
import type { Subcommand } from './subcommand.ts'
import { withService } from './with-service.ts'

export const rotateMasterKey: Subcommand = {
  summary: 'seal every secret under the current master key',
  help: `Usage: countersign rotate-master-key [--json]

Seals everything in the database under COUNTERSIGN_MASTER_KEY that lies under a key of
COUNTERSIGN_PREVIOUS_MASTER_KEYS. Needs the settings of the server, from its environment. May be
ended at any point and called again.

  1. make a key: openssl rand -base64 32
  2. give it to every process of the server as COUNTERSIGN_MASTER_KEY, the old one as
     COUNTERSIGN_PREVIOUS_MASTER_KEYS (several are separated by commas), and restart: a process
     that still has the old key alone goes on sealing under it
  3. the server seals anew by itself and logs the end; this command does the same and waits,
     also while no server runs
  4. remove COUNTERSIGN_PREVIOUS_MASTER_KEYS and restart; keep the old key as long as a backup
     from before may be needed
`,
  options: {},
  positionals: [],
  run: (_, around) =>
    withService(around, async ({ masterKey }, { database, previousMasterKeys }) => {
      const { values } = await masterKey.reseal({ verify: true })
      const others = otherUsersOf(database)
      return {
        ok: true,
        text: [
          `${database}: ${values} values were sealed anew; all lie under COUNTERSIGN_MASTER_KEY now`,
          ...(others.length > 0
            ? [
                `${others.length === 1 ? `process ${others[0]} has` : `processes ${others.join(', ')} have`} the database open: one that was started with the old key alone goes on sealing under it; restart it with both keys, then call this again`,
              ]
            : []),
          ...(previousMasterKeys.length > 0
            ? ['next: remove COUNTERSIGN_PREVIOUS_MASTER_KEYS from the server and restart it']
            : []),
          '',
        ].join('\n'),
        facts: { database, values, others },
      }
    }),
}
