import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { composeServer } from './compose.ts'
import { readConfig } from './config.ts'
import { type Client, createClient, must } from './demo/client.ts'
import { gatherEvidence, unsettled } from './demo/evidence.ts'
import { play } from './demo/play.ts'
import { freePorts, type Program, program, until } from './demo/processes.ts'
import { reachable } from './demo/reachable.ts'
import { receiverEnvironment } from './demo/receiver-environment.ts'
import { showLedger } from './demo/show.ts'
import { tally } from './demo/tally.ts'
import { type LocalSetup, prepareLocal } from './local.ts'
import { type DemoOrganization, seedDemo } from './seed.ts'

/** `npm run demo`: the main job through real HTTP against real processes, two of which are killed on the way. */
async function main(json: boolean): Promise<number> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'countersign-demo-'))
  const [ingest = 0, portal = 0, staff = 0, receiver = 0] = await freePorts(4)
  const setup = await prepareLocal(directory, { ingest, portal, staff, receiver }, Date.now())
  const organization = await seed(setup)
  const programs = describePrograms(setup, organization)
  const clients: Client[] = []
  let keep = true
  try {
    say(`everything is in ${directory}`)
    await programs.receiver.start()
    await programs.server.start()
    const application = createClient({
      origin: setup.origins.ingest,
      caFile: setup.caFile,
      headers: { 'x-api-key': organization.applicationKey },
    })
    const reviewer = await loggedIn(setup, organization)
    clients.push(application, reviewer)
    await play({ ...programs, application, reviewer, say })
    say('waiting until nothing is owed any more')
    await until('every delivery to be settled', 30_000, async () => (await unsettled(setup)) === 0)
    const evidence = await gatherEvidence(setup)
    const result = tally(evidence)
    if (!json) showLedger(evidence, result, say)
    const kills = { server: programs.server.kills(), receiver: programs.receiver.kills() }
    say(`killed with SIGKILL: server ${kills.server}, receiver ${kills.receiver}`)
    process.stdout.write(`${JSON.stringify(result)}\n`)
    keep = result.lost > 0 || result.stale > 0
    return keep ? 1 : 0
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    await programs.server.stop()
    await programs.receiver.stop()
    if (keep) say(`kept for a look: ${directory}`)
    else rmSync(directory, { recursive: true, force: true })
  }
}

/** Before any process runs: the organization is made through the use cases that the portal has too. */
async function seed(setup: LocalSetup): Promise<DemoOrganization> {
  const environment = { ...setup.environment, COUNTERSIGN_LOG_LEVEL: 'error' }
  const server = await composeServer(readConfig(environment))
  try {
    return await seedDemo(server.service, {
      credentialsFile: join(setup.directory, 'demo.json'),
      receiverUrl: setup.origins.receiver,
    })
  } finally {
    await server.stop()
  }
}

function describePrograms(
  setup: LocalSetup,
  organization: DemoOrganization,
): { readonly server: Program; readonly receiver: Program } {
  return {
    server: program({
      name: 'the server',
      program: 'serve',
      environment: setup.environment,
      logFile: join(setup.directory, 'server.log'),
      ready: () => reachable(`http://127.0.0.1:${setup.ports.staff}/readyz`, setup.caFile),
    }),
    receiver: program({
      name: 'the receiver',
      program: 'receiver',
      environment: receiverEnvironment(setup, organization),
      logFile: join(setup.directory, 'receiver.log'),
      ready: () => reachable(`${setup.origins.receiver}/livez`, setup.caFile),
    }),
  }
}

async function loggedIn(setup: LocalSetup, organization: DemoOrganization): Promise<Client> {
  const { origin, caFile } = { origin: setup.origins.portal, caFile: setup.caFile }
  const stranger = createClient({ origin, caFile })
  const { email, password } = organization.reviewer
  const session = await must(stranger.ask('POST', '/v1/auth/login', { email, password }))
  await stranger.close()
  const cookie = `${session.cookieName}=${session.token}`
  return createClient({ origin, caFile, headers: { cookie } })
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
main(values.json).then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`demo: ${error.stack}\n`)
    process.exit(1)
  },
)
