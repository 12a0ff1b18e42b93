import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { composeServer } from './compose.ts'
import { readConfig } from './config.ts'
import { program } from './demo/processes.ts'
import { reachable } from './demo/reachable.ts'
import { receiverEnvironment } from './demo/receiver-environment.ts'
import { prepareLocal } from './local.ts'
import { seedDemo } from './seed.ts'

/** `npm start`: the whole service on this machine, with an organization to try it and a receiver of its own. */
async function main(): Promise<void> {
  const directory = resolve(process.env.COUNTERSIGN_DIRECTORY ?? '.countersign')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const setup = await prepareLocal(
    directory,
    { ingest: 8443, portal: 8444, staff: 8445, receiver: 8446 },
    Date.now(),
  )
  const environment = { ...setup.environment, ...overrides() }
  const server = await composeServer(readConfig(environment), fail)
  const organization = await seedDemo(server.service, {
    credentialsFile: join(directory, 'demo.json'),
    receiverUrl: setup.origins.receiver,
  })
  const receiver = program({
    name: 'the demo receiver',
    program: 'receiver',
    environment: receiverEnvironment(setup, organization.publicKey),
    logFile: join(directory, 'receiver.log'),
    ready: () => reachable(`${setup.origins.receiver}/livez`, setup.caFile),
  })
  await receiver.start()
  await server.start()
  process.stdout.write(welcome())

  let stopping = false
  async function stop(): Promise<void> {
    if (stopping) process.exit(1)
    stopping = true
    process.stdout.write('\nstopping: letting deliveries in flight end\n')
    await server.stop()
    await receiver.stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop())

  function welcome(): string {
    const { origins, caFile, ports } = setup
    const curl = `curl --cacert ${caFile}`
    return `
Countersign is running.

  ingest API   ${origins.ingest}
  portal API   ${origins.portal}
  health       http://127.0.0.1:${ports.staff}/readyz   (also /livez, /metrics)
  receiver     ${origins.receiver}   (its log: ${join(directory, 'receiver.log')})
  database     ${setup.files.database}
  authority    ${caFile}

  admin        ${organization.admin.email}   password ${organization.admin.password}
  reviewer     ${organization.reviewer.email}   password ${organization.reviewer.password}
  application  ${organization.applicationId}   key ${organization.applicationKey}

Log in:
  ${curl} ${origins.portal}/v1/auth/login -H 'content-type: application/json' \\
    -d '{"email":"${organization.reviewer.email}","password":"${organization.reviewer.password}"}'

Open a review case:
  ${curl} ${origins.ingest}/v1/review-cases -H 'x-api-key: ${organization.applicationKey}' \\
    -H 'content-type: application/json' \\
    -d '{"sessionId":"ses_1","checkpointId":"before-payment","reasonCategory":"high_risk_action",
         "presentation":{"action":"pay","amount":"1200 EUR"},"idempotencyKey":"first"}'

Ctrl-C stops it; the directory keeps everything.
`
  }
}

/** Settings of the environment win over those of the local directory. */
function overrides(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('COUNTERSIGN_') && name !== 'COUNTERSIGN_DIRECTORY' && value !== undefined
        ? [[name, value]]
        : [],
    ),
  )
}

function fail(error: Error): never {
  process.stderr.write(`countersign: ${error.message}\n`)
  process.exit(1)
}

main().catch(fail)
