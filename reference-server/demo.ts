import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeServer } from './compose.ts'
import { readConfig } from './config.ts'
import { startAgent } from './demo/agent.ts'
import { sealSessions } from './demo/agent-scenes.ts'
import { openApplication } from './demo/application.ts'
import { type Client, createClient, must } from './demo/client.ts'
import { gatherEvidence, gatherTraced, unsettled } from './demo/evidence.ts'
import { exportPack } from './demo/pack.ts'
import { play } from './demo/play.ts'
import { freePorts, type Program, program, until } from './demo/processes.ts'
import { reachable } from './demo/reachable.ts'
import { receiverEnvironment } from './demo/receiver-environment.ts'
import { showLedger, showPack } from './demo/show.ts'
import { tally } from './demo/tally.ts'
import { faultsOf, tallyTraced } from './demo/traced.ts'
import { type LocalSetup, prepareLocal } from './local.ts'
import { endWith, readArguments } from './program-end.ts'
import { type DemoOrganization, seedDemo } from './seed.ts'

/** `npm run demo`: the main job through real HTTP against real processes, two of which are killed on the way. */
async function main(json: boolean): Promise<number> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'countersign-demo-'))
  const [ingest = 0, portal = 0, staff = 0, receiver = 0, clock = 0] = await freePorts(5)
  const setup = await prepareLocal(directory, { ingest, portal, staff, receiver }, Date.now())
  const organization = await seed(setup)
  const { tenantId, applicationId } = organization
  const programs = describePrograms(setup, organization, clock)
  const clients: { close(): Promise<void> }[] = []
  const kept = join(directory, 'evidence')
  mkdirSync(kept)
  let keep = true
  try {
    say(`everything is in ${directory}`)
    await programs.receiver.start()
    await programs.server.start()
    const application = openApplication({
      origin: setup.origins.ingest,
      caFile: setup.caFile,
      key: organization.applicationKey,
    })
    const admin = await loggedIn(setup, organization.admin)
    const reviewer = await loggedIn(setup, organization.reviewer)
    const agent = startAgent({
      origin: setup.origins.ingest,
      caFile: setup.caFile,
      key: organization.customerKey,
    })
    clients.push(application, admin, reviewer, agent)
    const ids = { tenantId, applicationId }
    const people = { application: application.client, admin, reviewer, agent, ...ids, say }
    const { password: reviewerPassword } = organization.reviewer
    const portalOrigin = setup.origins.portal
    await play({ ...programs, ...people, reviewerPassword, portalOrigin })
    say('a minute and more passes: sessions are completed and sealed')
    await sealSessions(reviewer, clockAt(clock))
    say('an auditor takes the evidence away')
    const pack = await exportPack(reviewer, { directory: kept, tenantId, applicationId })
    say('waiting until nothing is owed any more')
    await settle(setup, clockAt(clock))
    const evidence = await gatherEvidence(setup)
    const traced = tallyTraced(await gatherTraced(setup), agent.stepIds())
    const counts = { ...tally(evidence), ...traced }
    if (!json) showLedger(evidence, counts, say)
    showPack(pack, say)
    const kills = { server: programs.server.kills(), receiver: programs.receiver.kills() }
    say(`killed with SIGKILL: server ${kills.server}, receiver ${kills.receiver}`)
    process.stdout.write(`${JSON.stringify({ ...counts, kills, pack })}\n`)
    const faults = faultsOf(counts, pack)
    for (const fault of faults) say(`WRONG: ${fault}`)
    keep = faults.length > 0
    return keep ? 1 : 0
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    await programs.server.stop()
    await programs.receiver.stop()
    if (keep) say(`kept for a look: ${directory}`)
    else removeAllBut(directory, 'evidence')
  }
}

function removeAllBut(directory: string, kept: string): void {
  for (const name of readdirSync(directory))
    if (name !== kept) rmSync(join(directory, name), { recursive: true, force: true })
}

/** A retry that a slow machine came too late for is minutes away: the clock moves on to it. */
async function settle(setup: LocalSetup, advance: (ms: number) => Promise<void>): Promise<void> {
  let waits = Date.now() + 10_000
  await until('every delivery to be settled', 60_000, async () => {
    if ((await unsettled(setup)) === 0) return true
    if (Date.now() > waits) {
      await advance(60_000)
      waits = Date.now() + 1_000
    }
    return false
  })
}

/** Moves the server's clock forward. */
function clockAt(port: number): (ms: number) => Promise<void> {
  return async (ms) => {
    const { status } = await fetch(`http://127.0.0.1:${port}/?advance=${ms}`, { method: 'POST' })
    if (status !== 200) throw new Error(`the clock answered ${status}`)
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
  clockPort: number,
): { readonly server: Program; readonly receiver: Program } {
  return {
    server: program({
      name: 'the server',
      program: 'serve',
      environment: { ...setup.environment, COUNTERSIGN_TEST_CLOCK_PORT: String(clockPort) },
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

async function loggedIn(setup: LocalSetup, member: DemoOrganization['admin']): Promise<Client> {
  const { origin, caFile } = { origin: setup.origins.portal, caFile: setup.caFile }
  const stranger = createClient({ origin, caFile })
  const { email, password } = member
  const session = await must(stranger.ask('POST', '/v1/auth/login', { email, password }))
  await stranger.close()
  const cookie = `${session.cookieName}=${session.token}`
  return createClient({ origin, caFile, headers: { cookie } })
}

const usage = `Usage: npm run demo [-- --json]

Plays the main job through real HTTP against real processes, two of which are killed on the way.

  --json   leaves out the ledger; one line of JSON with the counts is on standard output anyway

Exit status: 0 all as promised, 1 something was lost, doubled, stale or not verified, 2 wrong arguments, 70 a fault of
the program itself.
`

const { flags } = readArguments('demo', usage, { flags: ['json'] })
main(flags.has('json')).then(
  (code) => process.exit(code),
  (error: unknown) => endWith('demo', error),
)
