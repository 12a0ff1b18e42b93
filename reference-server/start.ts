import { join } from 'node:path'
import { composeServer } from './compose.ts'
import { readConfig } from './config.ts'
import { portIsFree, program } from './demo/processes.ts'
import { reachable } from './demo/reachable.ts'
import { receiverEnvironment } from './demo/receiver-environment.ts'
import { keepLocalServer, prepareLocal } from './local.ts'
import { endWith, readArguments } from './program-end.ts'
import { seedDemo } from './seed.ts'
import { readStartSettings } from './start-settings.ts'
import { haveCaseWait } from './waiting-case.ts'
import { welcome } from './welcome.ts'

/** `npm start`: the whole service on this machine, with an organization to try it and a receiver of its own. */
async function main(): Promise<void> {
  const { directory, ports, given } = await readStartSettings(process.env)
  await portIsFree(ports.receiver, 'COUNTERSIGN_RECEIVER_PORT')
  const setup = await prepareLocal(directory, ports, Date.now())
  const config = readConfig({ ...setup.environment, ...given })
  const server = await composeServer(config, fail)
  const credentialsFile = join(directory, 'demo.json')
  const organization = await seedDemo(server.service, {
    credentialsFile,
    receiverUrl: setup.origins.receiver,
  })
  const receiver = program({
    name: 'the demo receiver',
    program: 'receiver',
    environment: receiverEnvironment(setup, organization),
    logFile: join(directory, 'receiver.log'),
    ready: () => reachable(`${setup.origins.receiver}/livez`, setup.caFile),
  })
  let stopping = false
  async function stop(): Promise<void> {
    if (stopping) process.exit(1)
    stopping = true
    process.stdout.write('\nstopping: letting deliveries in flight end\n')
    await server.stop()
    await receiver.stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop())
  // However this process ends, nothing is left behind that holds the receiver's port.
  process.once('exit', () => void receiver.stop())
  await receiver.start()
  await server.start()
  const { portalUrl } = config
  const { caFile, files } = setup
  const { tlsKey, tlsCert } = files
  keepLocalServer(directory, { portalUrl, caFile, tlsKey, tlsCert, credentialsFile })
  await haveCaseWait(server.service, organization, Date.now())
  process.stdout.write(welcome(config, setup, organization))
}

const usage = `Usage: npm start

Runs the whole service on this machine, with an organization to try it and a receiver of its own, until Ctrl-C. It takes
no arguments: its settings are the variables COUNTERSIGN_… of the environment, which the README of the reference server
lists; COUNTERSIGN_DIRECTORY (.countersign) is where it keeps everything.

Exit status: 0 stopped, 1 it could not go on, 2 wrong arguments or settings, 70 a fault of the program itself.
`

const fail = (error: unknown) => endWith('countersign', error)

readArguments('npm start', usage)
main().catch(fail)
