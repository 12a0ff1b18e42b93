import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { collections, createService, logs } from '@countersign/core'
import type { EventType } from '@countersign/core/events'
import type { Transport } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryBlobs,
  createMemoryStore,
  plainArchives,
  plainPasswords,
  plainRenderer,
} from '@countersign/core/testing'
import {
  createTransport,
  egressGuard,
  nativeCipher,
  nativePrimitives,
  nodeRandom,
  rateWindow,
  sealer,
  sessionTokens,
} from '@countersign/node'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { createReceiver, type KnownEvent, memoryInbox } from '@countersign/receiver-kit'
import { granted } from '../../seed.ts'
import { openHosts } from '../hosts.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const portalUrl = 'https://portal.example'
export const ingestUrl = 'https://ingest.example'

const start = Date.UTC(2026, 10, 18, 9)
const password = 'correct horse battery'
/** Secrets of the receiver's webhook: the first one, and the one that it is rotated to. */
export const secrets = [7, 8].map(
  (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
) as [string, string]

/** A POST that reached an endpoint. */
export interface Arrival {
  readonly path: string
  /** Ms. */
  readonly at: number
  readonly body: Readonly<Record<string, unknown>>
  readonly status: number
  readonly answer: string | null
}

/** An application with a key of each kind. */
export interface App {
  readonly applicationId: string
  readonly name: string
  /** Of its own: cases. */
  readonly key: string
  /** Of its backend: ingest. */
  readonly ingestKey: string
}

/** Who acts at the portal. */
export type Person = 'admin' | 'reviewer' | 'second'

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * The service behind its hosts on a clock that is moved by hand, and an https server with receivers of the kit, to which
 * the transport of Node delivers. Nothing but the clock, the store and what prints and hashes is a double.
 */
export async function openReceivedWorld() {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-received-'))
  const authority = await ensureLocalCa(join(directory, 'ca'), { now: Date.now() })
  const egress = { allowedSubnets: ['127.0.0.0/8', '::1/128'], refusedPorts: [] }
  const wire = createTransport({ ...egress, ca: readFileSync(authority.caFile) })
  let flying = 0
  const transport: Transport = {
    post: async (exchange) => {
      flying++
      const result = await wire.post(exchange)
      flying--
      return result
    },
  }
  /** Until nothing is on its way, and what follows from it is done. */
  const settle = async () => {
    for (let quiet = 0; quiet < 4; quiet++) {
      await setImmediate()
      if (flying > 0) quiet = 0
    }
  }
  const clock = createManualClock(start, { settle })
  const random = nodeRandom()
  const blobs = createMemoryBlobs()
  const observer = { event: () => {} }
  const service = createService({
    ports: {
      ...{ clock, random, observer, transport, blobs },
      store: createMemoryStore({ collections, logs }),
      primitives: nativePrimitives,
      egress: egressGuard(egress),
      cipher: nativeCipher(),
      sealer: sealer({ masterKey: new Uint8Array(32).fill(1) }),
      passwords: plainPasswords(),
      tokens: sessionTokens({ secret: new Uint8Array(32).fill(2), issuer: portalUrl }),
      renderer: plainRenderer,
      archives: plainArchives,
    },
    ...{ ingestUrl, portalUrl },
    // No other process makes work here.
    dispatcher: { pollMs: hour },
    runner: { pollMs: hour },
  })
  const window = { window: rateWindow(), perMinute: 100_000 }
  const hosts = await openHosts(
    {
      ...{ service, clock, observer },
      rateLimit: window,
      portalRateLimit: { window: rateWindow(), perMember: 100_000, perAddress: 100_000 },
      sandboxTenantId: null,
    },
    { random },
  )

  const system = { kind: 'system' } as const
  const emailOf = (who: Person) => `${who}@acme.example`
  const made = granted(
    await service.tenants.create(system, {
      name: 'Acme',
      plan: 'Enterprise',
      admin: { name: 'Ada', email: emailOf('admin'), password },
    }),
  )
  const { tenantId } = made.tenant
  const memberIds = new Map<Person, string>([['admin', made.admin.memberId]])
  for (const who of ['reviewer', 'second'] as const) {
    const member = granted(
      await service.members.create(system, {
        tenantId,
        ...{ name: who, email: emailOf(who), password },
        ...{ role: 'CustomerAuditor', permissions: ['Review Cases'] },
      }),
    )
    memberIds.set(who, member.memberId)
  }

  async function answerOf(response: Promise<Response>, what: string) {
    const { status, text } = await response.then(async (came) => ({
      status: came.status,
      text: await came.text(),
    }))
    assert.equal(status, 200, `${what}: ${text}`)
    return JSON.parse(text)
  }

  const sessions = new Map<Person, { readonly token: string; readonly until: number }>()
  async function tokenOf(who: Person): Promise<string> {
    const held = sessions.get(who)
    if (held && held.until > clock.now()) return held.token
    const body = { email: emailOf(who), password }
    const login = await answerOf(hosts.call('portal', 'POST', '/v1/auth/login', { body }), 'login')
    sessions.set(who, { token: login.token, until: Date.parse(login.expiresAt) - minute })
    return login.token
  }
  async function ask(who: Person, method: string, path: string, body?: object): Promise<Response> {
    const as = await tokenOf(who)
    return hosts.call('portal', method, path, { as, ...(body && { body }) })
  }
  const portal = (who: Person, method: string, path: string, body?: object) =>
    answerOf(ask(who, method, path, body), `${method} ${path}`)
  const ingest = (key: string, method: string, path: string, body?: object) =>
    answerOf(
      hosts.call('ingest', method, path, { key, ...(body && { body }) }),
      `${method} ${path}`,
    )

  const arrivals: Arrival[] = []
  const problems: string[] = []
  const received = new Map<string, { readonly event: KnownEvent; readonly at: number }>()
  type Answer = { readonly status: number; readonly body: string | null }
  type Endpoint = (headers: IncomingMessage['headers'], body: Buffer) => Promise<Answer>
  const endpoints = new Map<string, Endpoint>()
  const failing = new Map<string, (type: string) => boolean>()
  const receivers: { stop(): Promise<void> }[] = []

  const certificate = await authority.certFor(['localhost'])
  const server = createServer(certificate, async (request, response) => {
    const path = request.url ?? ''
    const body = await bodyOf(request)
    const message = JSON.parse(body.toString())
    const endpoint = failing.get(path)?.(message.type) ? undefined : endpoints.get(path)
    const answer = await (endpoint?.(request.headers, body) ?? { status: 503, body: null })
    arrivals.push({
      ...{ path, at: clock.now(), body: message },
      ...{ status: answer.status, answer: answer.body },
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(answer.body ?? undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`

  /** Puts a receiver of the kit at a path; until then, what is sent there is answered 503. */
  function receive(
    path: string,
    keys: { readonly keys: readonly string[]; readonly legacySecrets?: readonly string[] },
  ): void {
    const receiver = createReceiver({
      ...keys,
      ...{ tenantId, clock, primitives: nativePrimitives, inbox: memoryInbox(), pollMs: hour },
      observer: {
        event: (name, facts) => {
          if (name !== 'receiver.stored' && name !== 'handler.done')
            problems.push(`${name} ${JSON.stringify(facts)}`)
        },
      },
      onEvent: ({ event }) => {
        if (event.type === 'unknown') problems.push(`${event.originalType}: ${event.detail}`)
        else received.set(event.id, { event, at: clock.now() })
      },
    })
    receiver.start()
    receivers.push(receiver)
    endpoints.set(path, (headers, body) => {
      const inbound = headers as Record<string, string>
      return receiver.handle({ method: 'POST', headers: inbound, body })
    })
  }

  service.start()
  receive('/events', { keys: secrets, legacySecrets: secrets })
  const webhook = await portal('admin', 'POST', '/v1/webhooks', {
    url: `${origin}/events`,
    eventTypes: ['*'],
    signing: { method: 'shared_secret', secret: secrets[0] },
  })
  await clock.advance(minute)
  let applications = 0

  return {
    ...{ clock, blobs, tenantId, origin, arrivals, problems, portal, ingest, ask, receive },
    webhookId: webhook.id as string,
    memberIdOf: (who: Person) => memberIds.get(who) ?? '',
    /** Lets time pass, with all that falls due. */
    pass: (ms: number) => clock.advance(ms),
    /** The same where nothing is to happen but in the last hours: what falls due before is done then. */
    leap: async (ms: number) => {
      clock.jump(ms - 2 * hour)
      await clock.advance(2 * hour)
    },
    /** Makes an endpoint answer 503 to these types. */
    fail: (path: string, types: (type: string) => boolean) => void failing.set(path, types),
    /** What came so far is of no interest. */
    forget: () => received.clear(),
    /** Events of a type that were handled since, each once, in the order of arrival; `at`: when, ms. */
    came: (type: EventType) => [...received.values()].filter(({ event }) => event.type === type),
    /** The body of a file. */
    async download(url: string): Promise<Buffer> {
      const path = url.slice(portalUrl.length)
      const response = await ask('admin', 'GET', path)
      assert.equal(response.status, 200, url)
      return Buffer.from(await response.arrayBuffer())
    },
    /** An application that nothing else happens in. */
    async application(settings: object = {}): Promise<App> {
      const name = `Application ${++applications}`
      const body = { name, settings }
      const { applicationId } = await portal('admin', 'POST', '/v1/applications', body)
      const keys = `/v1/applications/${applicationId}/application-keys`
      const own = await portal('admin', 'POST', keys, { label: 'first' })
      const backend = await portal('admin', 'POST', '/v1/customer-keys/issue', { applicationId })
      const ingestKey = String(backend.value).split('.').at(-1) ?? ''
      return { applicationId, name, key: own.value, ingestKey }
    },
    close: async () => {
      await service.drain(0)
      await Promise.all(receivers.map((receiver) => receiver.stop()))
      await hosts.close()
      wire.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type ReceivedWorld = Awaited<ReturnType<typeof openReceivedWorld>>
