import { composeServer } from './compose.ts'
import { readConfig } from './config.ts'
import { endWith, readArguments } from './program-end.ts'

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

const usage = `Usage: serve

Runs the server until SIGTERM, SIGINT or SIGHUP. It takes no arguments: its settings are the variables COUNTERSIGN_… of
the environment, which the README of the reference server lists.

Exit status: 0 stopped, 1 it could not go on, 2 wrong arguments or settings, 70 a fault of the program itself.
`

const fail = (error: unknown) => endWith('countersign', error)

readArguments('serve', usage)
main().catch(fail)
