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
  const given = overrides()
  const ports = {
    ingest: portOf(given.COUNTERSIGN_INGEST_PORT, 8443),
    portal: portOf(given.COUNTERSIGN_PORTAL_PORT, 8444),
    staff: portOf(given.COUNTERSIGN_STAFF_PORT, 8445),
    receiver: 8446,
  }
  const setup = await prepareLocal(directory, ports, Date.now())
  const config = readConfig({ ...setup.environment, ...given })
  const server = await composeServer(config, fail)
  const organization = await seedDemo(server.service, {
    credentialsFile: join(directory, 'demo.json'),
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop())
  // However this process ends, nothing is left behind that holds the receiver's port.
  process.once('exit', () => void receiver.stop())
  await receiver.start()
  await server.start()
  process.stdout.write(welcome())

  function welcome(): string {
    const { ingestUrl, portalUrl } = config
    const { origins, caFile } = setup
    const curl = `curl --cacert ${caFile}`
    return `
Countersign is running.

  ingest API   ${ingestUrl}
  portal API   ${portalUrl}
  health       http://${config.staffHost}:${config.staffPort}/readyz   (also /livez, /metrics)
  receiver     ${origins.receiver}   (its log: ${join(directory, 'receiver.log')})
  database     ${config.database}
  authority    ${caFile}

  admin        ${organization.admin.email}   password ${organization.admin.password}
  reviewer     ${organization.reviewer.email}   password ${organization.reviewer.password}
  application  ${organization.applicationId}   key ${organization.applicationKey}

Log in:
  ${curl} ${portalUrl}/v1/auth/login -H 'content-type: application/json' \\
    -d '{"email":"${organization.reviewer.email}","password":"${organization.reviewer.password}"}'

Open a review case:
  ${curl} ${ingestUrl}/v1/review-cases -H 'x-api-key: ${organization.applicationKey}' \\
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

/** Anything that is no port is left for the reading of the settings to refuse. */
function portOf(text: string | undefined, fallback: number): number {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : fallback
}

function fail(error: Error): never {
  process.stderr.write(`countersign: ${error.message}\n`)
  process.exit(1)
}

main().catch(fail)
