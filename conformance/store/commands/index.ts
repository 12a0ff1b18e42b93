import { claimCommand } from './claim.ts'
import { claimRaceCommand } from './claim-race.ts'
import { commitCommand } from './commit.ts'
import { getCommand } from './get.ts'
import { lanesCommand } from './lanes.ts'
import { listCommand } from './list.ts'
import { raceCommand } from './race.ts'
import { readLogCommand } from './read-log.ts'
import { reopenCommand } from './reopen.ts'
import { settleCommand } from './settle.ts'

export type { Modelled, Real, StoreCommand } from './command.ts'

/** Every command, those that write more than once: fast-check draws each with the same chance. */
export const storeCommands = [
  commitCommand,
  commitCommand,
  commitCommand,
  raceCommand,
  claimCommand,
  claimRaceCommand,
  settleCommand,
  getCommand,
  listCommand,
  listCommand,
  lanesCommand,
  readLogCommand,
  reopenCommand,
]
