import { composeServer } from './compose.ts'
import { ConfigError, readConfig } from './config.ts'
import { LostWritesError } from './lost-writes.ts'

/**
 * Runs the server with the settings of the environment until SIGTERM, SIGINT or SIGHUP; a second signal ends it at once, and
 * so does a fault after which it can't write. A parent with a channel is sent `ready`.
 */
async function main(): Promise<void> {
  const server = await composeServer(readConfig(process.env), fail)
  await server.start()
  process.send?.('ready')
  process.on('SIGUSR2', server.reloadTls)
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      server.stop().then(
        () => process.exit(0),
        (error: Error) => fail(error),
      )
    })
  }
}

const isPlain = (error: Error) => error instanceof ConfigError || error instanceof LostWritesError

function fail(error: Error): never {
  // Somebody reads this without a stack trace in mind: a wrong setting is told plainly.
  process.stderr.write(`countersign: ${isPlain(error) ? error.message : error.stack}\n`)
  process.exit(1)
}

main().catch(fail)
