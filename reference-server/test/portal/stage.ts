import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@countersign/client'
import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import { type MemberActor, type Service, unwrap } from '@countersign/core'
import type { Mail } from '@countersign/core/ports'
import { ensureLocalCa, type KeyAndCert } from '@countersign/node/local-ca'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { settingsOf } from '../command/run-command.ts'
import { ownPorts } from '../own-ports.ts'
import { scratchDirectory } from '../processes/scratch.ts'

/** Who logs in to the pages, by what they may do. */
export type Visitor = 'admin' | 'reviewer' | 'secondReviewer' | 'integrator' | 'auditor'

/** What a member logs in with. */
export interface Login {
  readonly memberId: string
  readonly email: string
  readonly password: string
}

/** The whole server on a file of its own, with an organization, in this process; its clock can be moved. */
export interface PortalStage {
  /** Of the pages and the API that they call. */
  readonly origin: string
  readonly ingestOrigin: string
  readonly tenantId: string
  readonly applicationId: string
  readonly applicationKey: string
  readonly members: Readonly<Record<Visitor, Login>>
  readonly admin: MemberActor
  /** The API as the application calls it. */
  readonly application: Client
  /** The API as a member calls it, with a session of its own. */
  clientOf(visitor: Visitor): Promise<PortalClient>
  /** For an https server of this machine that the server may call. */
  readonly certificate: KeyAndCert
  /** Of the server that runs now. */
  readonly service: Service
  /** Mails that were sent, in order. */
  readonly mails: readonly Mail[]
  /** Opens a case as the application does, and answers its id. */
  openCase(presentation: unknown, more?: Readonly<Record<string, unknown>>): Promise<string>
  /** Lets time pass for the server. */
  advance(ms: number): Promise<void>
  stop(): Promise<void>
  /** Starts the server again on the same file and ports. */
  start(): Promise<void>
  restart(): Promise<void>
}

const password = 'correct horse battery'

/**
 * Composes the server, starts it and founds the organization. `settings` are added to its environment. `host`: of the
 * portal's pages, which have authenticators under a name alone.
 */
export async function openStage(
  settings: Readonly<Record<string, string>> = {},
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<PortalStage> {
  const directory = scratchDirectory()
  const [ingestPort = 0, portalPort = 0, clockPort = 0] = await ownPorts(3)
  const origin = `http://${host}:${portalPort}`
  const ingestOrigin = `http://127.0.0.1:${ingestPort}`
  const mailer = join(directory, 'mailer.mjs')
  writeFileSync(
    mailer,
    'export const sent = []\nexport async function send(mail) { sent.push(mail) }\n',
  )
  const authority = await ensureLocalCa(join(directory, 'ca'), { now: Date.now() })
  const { sent } = (await import(mailer)) as { readonly sent: readonly Mail[] }
  const config = readConfig({
    ...settingsOf(join(directory, 'countersign.sqlite')),
    COUNTERSIGN_INGEST_PORT: String(ingestPort),
    COUNTERSIGN_INGEST_URL: ingestOrigin,
    COUNTERSIGN_PORTAL_PORT: String(portalPort),
    COUNTERSIGN_PORTAL_URL: origin,
    COUNTERSIGN_STAFF_PORT: '0',
    COUNTERSIGN_TEST_CLOCK_PORT: String(clockPort),
    COUNTERSIGN_MAILER: mailer,
    COUNTERSIGN_EGRESS_CA_FILE: authority.caFile,
    COUNTERSIGN_EGRESS_ALLOWED_SUBNETS: '127.0.0.0/8,::1/128',
    COUNTERSIGN_RATE_PER_MINUTE: '100000',
    COUNTERSIGN_MEMBER_RATE_PER_MINUTE: '100000',
    COUNTERSIGN_ADDRESS_RATE_PER_MINUTE: '100000',
    COUNTERSIGN_DRAIN_MS: '500',
    COUNTERSIGN_LOG_LEVEL: 'silent',
    ...settings,
  })
  let server = await composeServer(config)
  await server.start()
  const organization = await foundOrganization(server.service)
  const { applicationKey, members } = organization
  let opened = 0

  async function start(): Promise<void> {
    server = await composeServer(config)
    await server.start()
  }

  return {
    origin,
    ingestOrigin,
    ...organization,
    application: createClient({ ingestUrl: ingestOrigin, apiKey: applicationKey }),
    clientOf: async (visitor) => {
      const client = createPortalClient({ portalUrl: origin })
      const { email, password } = members[visitor]
      await client.auth.login({ email, password })
      return client
    },
    certificate: await authority.certFor(['localhost']),
    get service() {
      return server.service
    },
    mails: sent,
    openCase: async (presentation, more = {}) => {
      const answer = await fetch(`${ingestOrigin}/v1/review-cases`, {
        method: 'POST',
        headers: { 'x-api-key': applicationKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          sessionId: 'ses_portal',
          checkpointId: `payment-${opened}`,
          reasonCategory: 'high_risk_action',
          idempotencyKey: `open-${opened++}`,
          presentation,
          ...more,
        }),
      })
      const body = (await answer.json()) as { readonly reviewCaseId: string }
      if (!answer.ok) throw new Error(`expected a case, got ${JSON.stringify(body)}`)
      return body.reviewCaseId
    },
    advance: async (ms) => {
      await fetch(`http://127.0.0.1:${clockPort}/?advance=${ms}`, { method: 'POST' })
    },
    stop: () => server.stop(),
    start,
    restart: async () => {
      await server.stop()
      await start()
    },
  }
}

type Organization = Pick<
  PortalStage,
  'tenantId' | 'applicationId' | 'applicationKey' | 'members' | 'admin'
>

async function foundOrganization(service: Service): Promise<Organization> {
  const system = { kind: 'system' } as const
  const loginOf = (name: string) => ({ email: `${name}@acme.example`, password })
  const made = unwrap(
    await service.tenants.create(system, {
      name: 'Acme',
      plan: 'Enterprise',
      admin: { name: 'Ada Admin', ...loginOf('admin') },
    }),
  )
  const { tenantId } = made.tenant
  const { memberId, role, permissions } = made.admin
  const admin: MemberActor = { kind: 'member', tenantId, memberId, role, permissions }

  async function addMember(
    name: string,
    address: string,
    rights: MemberActor['permissions'],
  ): Promise<Login> {
    const login = loginOf(address)
    const member = {
      tenantId,
      name,
      ...login,
      role: 'CustomerAuditor',
      permissions: rights,
    } as const
    return { ...login, memberId: unwrap(await service.members.create(system, member)).memberId }
  }

  const application = { name: 'Payment assistant' }
  const { applicationId } = unwrap(await service.applications.create(admin, application))
  const key = await service.applicationKeys.create(admin, { applicationId, label: 'portal' })
  return {
    tenantId,
    applicationId,
    applicationKey: unwrap(key).value,
    admin,
    members: {
      admin: { memberId, ...loginOf('admin') },
      reviewer: await addMember('Ruth Reviewer', 'reviewer', ['Review Cases']),
      secondReviewer: await addMember('Sam Second', 'second', ['Review Cases']),
      integrator: await addMember('Ines Integrator', 'integrator', ['Manage Integrations']),
      auditor: await addMember('Otto Auditor', 'auditor', []),
    },
  }
}
