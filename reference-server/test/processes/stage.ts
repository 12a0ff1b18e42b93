import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openSqliteInbox } from '@countersign/sqlite'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { type Client, createClient } from '../../demo/client.ts'
import { programFile, until } from '../../demo/processes.ts'
import { reachable } from '../../demo/reachable.ts'
import { type LocalSetup, prepareLocal } from '../../local.ts'
import { type DemoOrganization, seedDemo } from '../../seed.ts'
import { ownPorts } from '../own-ports.ts'
import { endProcess } from './end-process.ts'

/** A database with an organization, and servers on it as processes. */
export interface Stage {
  readonly setup: LocalSetup
  readonly organization: DemoOrganization
  /** The admin of another organization. */
  readonly stranger: { readonly email: string; readonly password: string }
  /** Starts one more server on the same database, under ports of its own, in plain http. */
  start(options?: ServerOptions): Promise<StagedServer>
  /** Kills what still runs, and resolves once it has ended. */
  end(): Promise<void>
}

export interface ServerOptions {
  /** Run by sh before the server takes its place. */
  readonly shell?: string
  /** A module that is loaded before the server. */
  readonly preload?: URL
  /** Of Node, such as the size of its heap. */
  readonly flags?: readonly string[]
  /** Opens a channel to the preload: the process has `send` and tells messages. */
  readonly channel?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** Hears what it writes to its standard error, which is shown otherwise. */
  readonly complaint?: (text: string) => void
}

export interface StagedServer {
  readonly process: ChildProcess
  /** The exit code, null after a signal. */
  readonly exit: Promise<number | null>
  readonly ingest: string
  readonly portal: string
  readonly staff: string
  /** With the application's key. */
  readonly application: Client
}

/** `more`: settings of all its servers, such as another database. */
export async function prepareStage(
  directory: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const [receiver = 0] = await ownPorts(1)
  const ports = { ingest: 0, portal: 0, staff: 0, receiver }
  const local = await prepareLocal(directory, ports, Date.now())
  const setup = { ...local, environment: { ...local.environment, ...more } }
  const server = await composeServer(
    readConfig({ ...setup.environment, COUNTERSIGN_LOG_LEVEL: 'error' }),
  )
  const organization = await seedDemo(server.service, {
    credentialsFile: join(directory, 'demo.json'),
    receiverUrl: setup.origins.receiver,
  })
  const stranger = { email: 'stranger@other.example', password: 'a long password' }
  const other = await server.service.tenants.create(
    { kind: 'system' },
    { name: 'Another organization', admin: { name: 'Stan', ...stranger } },
  )
  if (!other.ok) throw new Error(other.refusal.detail)
  await server.stop()
  // The receiver's databases, empty: what looks at both sides finds them.
  for (const file of [setup.files.eventInbox, setup.files.outcomeInbox])
    await openSqliteInbox({ file }).close()
  const running: StagedServer[] = []
  return {
    setup,
    organization,
    stranger,
    start: async (options = {}) => {
      const { server, ready } = await startServer(setup, organization, options)
      running.push(server)
      await ready()
      return server
    },
    end: async () => {
      for (const { process: child, application } of running) {
        await endProcess(child)
        await application.close()
      }
    },
  }
}

/** Spawns a server, which the caller ends also when it never gets ready. */
async function startServer(
  setup: LocalSetup,
  organization: DemoOrganization,
  options: ServerOptions,
): Promise<{ readonly server: StagedServer; readonly ready: () => Promise<void> }> {
  const [ingestPort = 0, portalPort = 0, staffPort = 0] = await ownPorts(3)
  const ingest = `http://127.0.0.1:${ingestPort}`
  const portal = `http://127.0.0.1:${portalPort}`
  const staff = `http://127.0.0.1:${staffPort}`
  const { COUNTERSIGN_TLS_KEY_FILE: _, COUNTERSIGN_TLS_CERT_FILE: __, ...local } = setup.environment
  const imports = options.preload ? ['--import', options.preload.href] : []
  const child = spawn(
    'sh',
    [
      '-c',
      `${options.shell ?? ':'}; exec "$0" "$@"`,
      process.execPath,
      ...(options.flags ?? []),
      ...imports,
      programFile('serve'),
    ],
    {
      env: {
        PATH: process.env.PATH ?? '',
        ...local,
        COUNTERSIGN_INGEST_PORT: String(ingestPort),
        COUNTERSIGN_PORTAL_PORT: String(portalPort),
        COUNTERSIGN_STAFF_PORT: String(staffPort),
        COUNTERSIGN_INGEST_URL: ingest,
        COUNTERSIGN_PORTAL_URL: portal,
        COUNTERSIGN_RATE_PER_MINUTE: '100000',
        COUNTERSIGN_MEMBER_RATE_PER_MINUTE: '100000',
        COUNTERSIGN_LOG_LEVEL: 'fatal',
        ...options.environment,
      },
      stdio: [
        'ignore',
        'ignore',
        options.complaint ? 'pipe' : 'inherit',
        ...(options.channel ? (['ipc'] as const) : []),
      ],
    },
  )
  if (options.complaint) child.stderr?.setEncoding('utf8').on('data', options.complaint)
  const exit = once(child, 'close').then(([code]) => code as number | null)
  const application = createClient({
    origin: ingest,
    caFile: setup.caFile,
    headers: { 'x-api-key': organization.applicationKey },
  })
  const ready = () =>
    until('the server to be ready', 30_000, () => {
      if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`)
      return reachable(`${staff}/readyz`, setup.caFile)
    })
  return { server: { process: child, exit, ingest, portal, staff, application }, ready }
}

export function openingOf(name: string): Readonly<Record<string, unknown>> {
  return {
    sessionId: `ses_${name}`,
    checkpointId: 'before-payment',
    reasonCategory: 'high_risk_action',
    presentation: { action: 'payment', step: name },
    idempotencyKey: `open-${name}`,
  }
}
