import type { Service } from '@countersign/core'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'

/** Refuses a master key under which this database was not sealed; true when values are to be sealed anew. */
export async function checkMasterKey(service: Service, config: Config): Promise<boolean> {
  const check = await service.masterKey.check()
  if (check.state !== 'wrong') return check.state === 'reseal_due'
  throw new ConfigError([
    `COUNTERSIGN_MASTER_KEY: does not open what is sealed in ${config.database}: ${check.detail}`,
    'give the key under which the database was sealed; to replace it, give that one in COUNTERSIGN_PREVIOUS_MASTER_KEYS',
  ])
}

/** Seals anew beside the service. */
export interface Resealing {
  /** Ends it after the commit under way; the next start goes on. */
  stop(): Promise<void>
}

/** Seals every value under the current master key while the service runs, and logs when previous keys can go. */
export function resealBeside(
  service: Service,
  {
    due,
    config,
    logger,
  }: { readonly due: boolean; readonly config: Config; readonly logger: Logger },
): Resealing {
  const previous = config.previousMasterKeys.length > 0
  const dispensable = () => {
    if (previous)
      logger.info(
        'nothing is sealed under a previous master key any more: remove COUNTERSIGN_PREVIOUS_MASTER_KEYS and destroy the old keys once no backup needs them',
      )
  }
  // A process that still had the old key alone may have sealed under it after an earlier walk was complete.
  const walks = due || previous
  let stopped = false
  const done = walks
    ? service.masterKey.reseal({ stopped: () => stopped, verify: previous }).then(
        ({ values, complete }) => {
          logger.info({ values, complete }, 'sealed anew under the current master key')
          if (complete) dispensable()
        },
        (error: Error) =>
          logger.error(
            { error: error.message },
            'sealing anew failed; keep COUNTERSIGN_PREVIOUS_MASTER_KEYS and start again',
          ),
      )
    : Promise.resolve()
  return {
    stop: () => {
      stopped = true
      return done
    },
  }
}
