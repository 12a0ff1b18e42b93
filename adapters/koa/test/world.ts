import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CaseView,
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
} from '@countersign/core'
import type { Permission, Role } from '@countersign/core/access'
import { createVault } from '@countersign/core/internal'
import { createLedger, type Result } from '@countersign/core/ledger'
import type { Collection, Observer, RateWindow } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryStore,
  type MemoryStore,
  plainArchives,
  plainPorts,
  plainRenderer,
  sampleEvidenceKey,
  scriptedEgress,
  storeSession,
} from '@countersign/core/testing'
import {
  createApp,
  type Host,
  ingestRouter,
  portalRouter,
  sessionCookie,
  staffRouter,
} from '../index.ts'
import { checkAnswer } from './check-answer.ts'
import { type Answered, type Asked, send } from './client.ts'

export const start = Date.UTC(2026, 10, 21, 9, 0, 0)
const system = { kind: 'system' } as const

export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.refusal.code}: ${result.refusal.detail}`)
}

export interface Person {
  readonly actor: MemberActor
  readonly email: string
  readonly cookie: string
}

export interface App {
  readonly tenantId: string
  readonly applicationId: string
  readonly keyId: string
  readonly key: string
}

/** One of the staff, by their token. */
export interface Staff {
  readonly token: string
}

/** With whose credential a request is sent; null: with none. */
export type Sender = Person | App | Staff | null

/** An application with both kinds of keys. */
export interface Application extends App {
  readonly ingest: App
}

export interface Call extends Omit<Asked, 'headers'> {
  readonly host: Host
  readonly as?: Sender
  readonly headers?: Asked['headers']
}

export const password = 'correct horse battery'

/** The real service on the memory store, behind both routers on loopback. */
export async function openWorld(
  options: {
    readonly perMinute?: number
    readonly perMember?: number
    readonly perAddress?: number
  } = {},
) {
  const { store, contents, rowsRead } = watchedStore()
  const clock = createManualClock(start)
  const plain = plainPorts(7)
  const { random, sealer, cipher, blobs, transport } = plain
  const incidents: string[] = []
  const observer: Observer = {
    event: (name, fields) => {
      if (name === 'http.unexpected_error') incidents.push(String(fields.error))
    },
  }
  const service = createService({
    ports: {
      ...plain,
      store,
      clock,
      observer,
      egress: scriptedEgress((url) => (url.includes('internal') ? 'a private address' : null)),
      renderer: plainRenderer,
      archives: plainArchives,
    },
    ingestUrl: 'https://ingest.example',
  })

  const perMinute = options.perMinute ?? 10_000
  const tenants = await seed(service, perMinute)
  const staff: Staff = { token: 'staff-token-of-the-tests' }
  const servers: Server[] = []
  let requests = 0
  const api = {
    service,
    clock,
    observer,
    rateLimit: { window: slidingWindow(), perMinute },
    portalRateLimit: {
      window: slidingWindow(),
      perMember: options.perMember ?? 100_000,
      perAddress: options.perAddress ?? 100_000,
    },
    sandboxTenantId: tenants.sandbox.tenantId,
    staffTokens: [{ name: 'ops', sha256: createHash('sha256').update(staff.token).digest('hex') }],
  }
  const ports = {
    ingest: await serve(ingestRouter(api)),
    portal: await serve(portalRouter(api)),
    staff: await serve(staffRouter(api)),
  }

  /** A completed and sealed session, as ingest leaves it. */
  async function stored({ tenantId, applicationId }: App, sessionId: string): Promise<void> {
    const ledger = createLedger({ store, clock, random })
    const vault = createVault({ ledger, sealer, cipher })
    const signer = sampleEvidenceKey(new Uint8Array(32).fill(9))
    await storeSession(
      { ledger, vault, blobs, signer },
      { tenantId, applicationId, sessionId, startedAt: start, inputs: ['hello'] },
    )
  }

  async function serve(router: ReturnType<typeof portalRouter>): Promise<number> {
    const answer = createApp(router, { random, observer, trustedProxies: 1 }).callback()
    const server = createServer((request, response) => void answer(request, response))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  async function call({ host, as = null, headers = {}, ...asked }: Call): Promise<Answered> {
    const credentials: Record<string, string> = !as
      ? {}
      : 'key' in as
        ? { 'x-api-key': as.key }
        : 'token' in as
          ? { authorization: `Bearer ${as.token}` }
          : { cookie: `${sessionCookie.name}=${as.cookie}` }
    // Each request from an address of its own: what one fails to log in with delays no other.
    const from = { 'x-forwarded-for': `198.51.${(requests >> 8) % 256}.${requests++ % 256}` }
    const sent = { ...asked, headers: { ...from, ...credentials, ...headers } }
    const answered = await send(ports[host], sent)
    checkAnswer(host, asked, answered)
    return answered
  }

  return {
    ...tenants,
    staff,
    service,
    options: api,
    store,
    clock,
    transport,
    identityProviders: plain.identityProviders,
    incidents,
    ports,
    call,
    storeSession: (app: App, sessionId: string) => stored(app, sessionId),
    contents,
    rowsRead,
    /** Changes stored rows behind the service's back. */
    alter: (name: string, match: object, patch: object) => alter(store, name, match, patch),
    close: async () => {
      await service.drain(0)
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        }),
      )
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

async function seed(service: Service, ratePerMinute: number) {
  let people = 0

  async function signedIn(email: string): Promise<Person> {
    const login = value(await service.auth.login({ email, password, address: '192.0.2.1' }))
    const actor = value(await service.access.authenticateMember(login.token))
    return { actor, email, cookie: login.token }
  }

  async function tenant(name: string) {
    const email = `admin@${name}.example`
    const made = value(
      await service.tenants.create(system, {
        name,
        admin: { name: `Admin of ${name}`, email, password },
        plan: 'Enterprise',
      }),
    )
    const { tenantId } = made.tenant
    const admin = await signedIn(email)

    async function person(role: Role, permissions: readonly Permission[]): Promise<Person> {
      const email = `p${++people}@${name}.example`
      const input = { name: `Person ${people}`, email, password, role, permissions }
      value(await service.members.create(system, { tenantId, ...input }))
      return signedIn(email)
    }
    async function newApp(): Promise<Application> {
      const input = { name: 'Assistant' }
      const { applicationId } = value(await service.applications.create(admin.actor, input))
      const key = value(
        await service.applicationKeys.create(admin.actor, { applicationId, label: 'first' }),
      )
      const backend = value(
        await service.customerKeys.provision(system, {
          tenantId,
          applicationId,
          type: 'primary ingest',
          ratePerMinute,
        }),
      )
      const owner = { tenantId, applicationId }
      const secret = backend.value.split('.').at(-1) ?? ''
      // A key's first use within an hour is noted.
      value(await service.access.authenticateCustomerKey(secret))
      return {
        ...owner,
        keyId: key.keyId,
        key: key.value,
        ingest: { ...owner, keyId: backend.keyId, key: secret },
      }
    }
    const newWebhook = async () =>
      value(
        await service.webhooks.create(admin.actor, {
          url: 'https://hook.example/events',
          eventTypes: ['*'],
          signing: { method: 'shared_secret' },
        }),
      ).id
    return { tenantId, admin, person, newApp, newWebhook }
  }

  async function opened(app: App, more: object = {}): Promise<CaseView> {
    const actor = { kind: 'application', ...app } as const
    const input = { ...newCase(), ...more }
    return value(await service.reviewCases.open(actor, input))
  }

  const [home, away, sandbox] = [
    await tenant('home'),
    await tenant('away'),
    await tenant('sandbox'),
  ]
  const app = await home.newApp()
  return {
    home: { ...home, app, webhookId: await home.newWebhook() },
    away: { ...away, app: await away.newApp(), webhookId: await away.newWebhook() },
    sandbox: { ...sandbox, app: await sandbox.newApp(), webhookId: await sandbox.newWebhook() },
    sibling: await home.newApp(),
    auditor: await home.person('CustomerAuditor', []),
    reviewer: await home.person('CustomerAuditor', ['Review Cases']),
    second: await home.person('CustomerAuditor', ['Review Cases']),
    integrator: await home.person('CustomerAuditor', ['Manage Integrations']),
    tenant,
    opened,
  }
}

let checkpoints = 0

/** The body that opens a case, at a checkpoint of its own. */
export function newCase() {
  const checkpointId = `checkpoint-${++checkpoints}`
  return {
    sessionId: 'ses_1',
    checkpointId,
    reasonCategory: 'high_risk_action' as const,
    presentation: { action: 'pay', amount: '1200 EUR' },
    idempotencyKey: checkpointId,
  }
}

/** A store whose contents are made to text anew only after a write, for they are compared around each request. */
/** A row as a read found it, and its collection. */
export interface RowRead {
  readonly name: string
  readonly row: Readonly<Record<string, unknown>>
}

interface WatchedStore {
  readonly store: MemoryStore
  /** Everything that is stored, to be compared with a later look. */
  contents(): string
  /** The rows of collections that reads have found since the last call. */
  rowsRead(): readonly RowRead[]
}

function watchedStore(): WatchedStore {
  const memory = createMemoryStore({ collections, logs })
  let text: string | null = null
  let read: RowRead[] = []
  const writing =
    <A extends readonly unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      try {
        return await write(...given)
      } finally {
        text = null
      }
    }
  const store: MemoryStore = {
    ...memory,
    async read(tenant, reads) {
      const found = await memory.read(tenant, reads)
      for (const [at, { rows }] of found.entries()) {
        const of = reads[at]
        const name = of && ('get' in of ? of.get : 'list' in of ? of.list : null)
        if (name) read.push(...rows.map(({ row }) => ({ name, row: row as RowRead['row'] })))
      }
      return found
    },
    commit: writing(memory.commit),
    claim: writing(memory.claim),
    scrub: writing(memory.scrub),
  }
  return {
    store,
    contents: () => {
      text ??= contentsOf(memory)
      return text
    },
    rowsRead() {
      const since = read
      read = []
      return since
    },
  }
}

function contentsOf(store: MemoryStore): string {
  const bytes = (_key: string, held: unknown) =>
    held instanceof Uint8Array ? Buffer.from(held).toString('hex') : held
  return JSON.stringify(
    [
      ...collections.map(({ name }, at) => [name, store.rows(collections[at] as never)]),
      ...logs.map((log) => [log.name, [...store.entries(log)]]),
    ],
    bytes,
    1,
  )
}

async function alter(
  store: MemoryStore,
  name: string,
  match: object,
  patch: object,
): Promise<void> {
  const collection = collections.find((each) => each.name === name)
  if (!collection) throw new Error(`no collection ${name}`)
  const rows = store.rows<Record<string, unknown>>(
    collection as unknown as Collection<Record<string, unknown>>,
  )
  const hits = rows.filter(({ row }) =>
    Object.entries(match).every(([member, held]) => row[member] === held),
  )
  if (hits.length === 0) throw new Error(`no row of ${name} is like ${JSON.stringify(match)}`)
  await store.commit({
    tenant: null,
    puts: hits.map((was) => ({ in: name, row: { ...was.row, ...patch }, was })),
  })
}

function slidingWindow(): RateWindow {
  const hits = new Map<string, number[]>()
  return {
    hit({ key, now, windowMs, limit }) {
      const recent = (hits.get(key) ?? []).filter((at) => at > now - windowMs)
      const allowed = recent.length < limit
      if (allowed) recent.push(now)
      hits.set(key, recent)
      const remaining = Math.max(0, limit - recent.length)
      return { allowed, remaining, resetAt: (recent[0] ?? now) + windowMs }
    },
    charge({ key, now, requests }) {
      const recent = hits.get(key) ?? []
      for (let at = 0; at < requests; at++) recent.push(now)
      hits.set(key, recent)
    },
  }
}
