import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { MemberActor, Service } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import { writePrivate } from './local.ts'

/** Whoever plays the demo: the values that are shown once and that the store does not keep. */
export interface DemoOrganization {
  readonly tenantId: string
  readonly admin: Login
  readonly reviewer: Login
  readonly applicationId: string
  readonly applicationKey: string
  /** The whole key; the last segment goes into `X-API-Key`. */
  readonly customerKey: string
  readonly webhookId: string
  /** `whpk_…`: what the receiver verifies with. */
  readonly publicKey: string
  /** Signs the older events, which have no other signature: without one the receiver refuses them. */
  readonly legacySecret: string
  readonly receiverUrl: string
}

interface Login {
  readonly email: string
  readonly password: string
}

interface SeedOptions {
  readonly credentialsFile: string
  readonly receiverUrl: string
}

/** Finds the demo organization that an earlier start made, or makes it; its credentials are kept beside the database. */
export async function seedDemo(service: Service, options: SeedOptions): Promise<DemoOrganization> {
  if (existsSync(options.credentialsFile)) {
    const read = readOrganization(options.credentialsFile)
    if (read.receiverUrl === options.receiverUrl) return read
    await moveReceiver(service, read, options.receiverUrl)
    return keep({ ...read, receiverUrl: options.receiverUrl }, options)
  }
  return keep(await makeOrganization(service, options), options)
}

/** The organization whose credentials a start kept. */
export function readOrganization(credentialsFile: string): DemoOrganization {
  return JSON.parse(readFileSync(credentialsFile, 'utf8'))
}

function keep(organization: DemoOrganization, { credentialsFile }: SeedOptions): DemoOrganization {
  writePrivate(credentialsFile, `${JSON.stringify(organization, null, 2)}\n`)
  return organization
}

async function adminOf(service: Service, { admin }: DemoOrganization): Promise<MemberActor> {
  const session = granted(
    await service.auth.login({ email: admin.email, password: admin.password, address: 'local' }),
  )
  return granted(await service.access.authenticateMember(session.token))
}

/** The receiver has another port than at an earlier start. */
async function moveReceiver(
  service: Service,
  organization: DemoOrganization,
  receiverUrl: string,
): Promise<void> {
  const { webhookId, applicationId } = organization
  const actor = await adminOf(service, organization)
  granted(await service.webhooks.update(actor, { webhookId, url: `${receiverUrl}/events` }))
  granted(
    await service.applications.setOutcomeCallback(actor, {
      applicationId,
      url: `${receiverUrl}/outcomes`,
      enabled: true,
    }),
  )
}

async function makeOrganization(
  service: Service,
  { credentialsFile, receiverUrl }: SeedOptions,
): Promise<DemoOrganization> {
  const system = { kind: 'system' } as const
  const admin = login('admin@demo.example')
  const reviewer = login('reviewer@demo.example')
  const tenant = await service.tenants.create(system, {
    name: 'Demo organization',
    plan: 'Enterprise',
    admin: { name: 'Ada Admin', ...admin },
  })
  // The file was removed, or an earlier start ended before it was written.
  if (!tenant.ok)
    throw new Error(
      `the organization is there, ${credentialsFile} with its passwords is not: remove the directory to begin anew`,
    )
  const made = tenant.value
  const { tenantId } = made.tenant
  granted(
    await service.members.create(system, {
      tenantId,
      name: 'Ruth Reviewer',
      ...reviewer,
      role: 'CustomerAuditor',
      permissions: ['Review Cases', 'Manage Integrations'],
    }),
  )
  const actor: MemberActor = {
    kind: 'member',
    tenantId,
    memberId: made.admin.memberId,
    role: made.admin.role,
    permissions: made.admin.permissions,
  }
  const { applicationId } = granted(
    await service.applications.create(actor, { name: 'Payment assistant' }),
  )
  const key = granted(await service.applicationKeys.create(actor, { applicationId, label: 'demo' }))
  const customerKey = granted(
    await service.customerKeys.provision(system, {
      tenantId,
      applicationId,
      type: 'primary ingest',
    }),
  )
  granted(
    await service.applications.setOutcomeCallback(actor, {
      applicationId,
      url: `${receiverUrl}/outcomes`,
      enabled: true,
    }),
  )
  const legacySecret = randomBytes(24).toString('base64url')
  const webhook = granted(
    await service.webhooks.create(actor, {
      url: `${receiverUrl}/events`,
      secret: legacySecret,
      eventTypes: ['*'],
      description: 'The demo receiver',
    }),
  )
  return {
    tenantId,
    admin,
    reviewer,
    applicationId,
    applicationKey: key.value,
    customerKey: customerKey.value,
    webhookId: webhook.id,
    receiverUrl,
    legacySecret,
    publicKey: present(webhook.signing.publicKey, 'the public key of an Ed25519 webhook'),
  }
}

function login(email: string): Login {
  return { email, password: randomBytes(12).toString('base64url') }
}

/** The value of a call that whoever wrote it expects to be granted. */
export function granted<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`expected to be granted: ${result.refusal.code}: ${result.refusal.detail}`)
}

function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`expected ${what}`)
  return value
}
