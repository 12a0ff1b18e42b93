import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { MemberActor } from '@countersign/core'
import { Webhook } from 'standardwebhooks'
import { type Server as Countersign, composeServer } from '../compose.ts'
import { readConfig } from '../config.ts'
import { prepareLocal } from '../local.ts'
import { granted, seedDemo } from '../seed.ts'

/** What the server sends, as code that is not ours sees it. */
interface Post {
  readonly headers: Record<string, string>
  readonly body: Buffer
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-interop-'))
let server: Countersign
let sink: Server
let origin: string
let admin: MemberActor
let open: (name: string) => Promise<void>
const posts = new Map<string, Post[]>()
let arrived = () => {}

before(async () => {
  const setup = await prepareLocal(
    directory,
    { ingest: 0, portal: 0, staff: 0, receiver: 1 },
    Date.now(),
  )
  const { tlsKey, tlsCert } = setup.files
  sink = createServer({ key: readFileSync(tlsKey), cert: readFileSync(tlsCert) }, (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const post = { headers: req.headers as Record<string, string>, body: Buffer.concat(chunks) }
      const path = req.url ?? ''
      posts.set(path, [...(posts.get(path) ?? []), post])
      res.writeHead(204).end()
      arrived()
    })
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  origin = `https://localhost:${(sink.address() as AddressInfo).port}`
  server = await composeServer(
    readConfig({ ...setup.environment, COUNTERSIGN_LOG_LEVEL: 'silent' }),
  )
  const demo = await seedDemo(server.service, {
    credentialsFile: join(directory, 'demo.json'),
    receiverUrl: origin,
  })
  const { email, password } = demo.admin
  const login = granted(await server.service.auth.login({ email, password, address: 'test' }))
  admin = granted(await server.service.access.authenticateMember(login.token))
  const application = granted(
    await server.service.access.authenticateApplication(demo.applicationKey),
  )
  open = async (name) => {
    granted(
      await server.service.reviewCases.open(application, {
        sessionId: name,
        checkpointId: 'before-payment',
        reasonCategory: 'high_risk_action',
        presentation: { text: 'é "…" \u{1F600}' },
        idempotencyKey: name,
      }),
    )
  }
  server.service.start()
})

after(async () => {
  await server.stop()
  sink.closeAllConnections()
  sink.close()
  rmSync(directory, { recursive: true, force: true })
})

/** The first post to a path that carries such an event. */
async function posted(path: string, type: string): Promise<Post> {
  for (;;) {
    const found = posts.get(path)?.find(({ body }) => JSON.parse(body.toString()).type === type)
    if (found) return found
    await new Promise<void>((resolve) => {
      arrived = resolve
    })
  }
}

test('what is sent under v1 verifies with npm standardwebhooks, during a rotation under both secrets', async () => {
  const webhook = granted(
    await server.service.webhooks.create(admin, {
      url: `${origin}/v1`,
      eventTypes: ['review.case.created'],
      signing: { method: 'shared_secret' },
    }),
  )
  const first = webhook.signing.secret
  const rotated = granted(
    await server.service.webhooks.rotateSecret(admin, { webhookId: webhook.id }),
  )
  const second = rotated.signing.secret
  assert.ok(first && second && first !== second)
  await open('ses_v1')
  const { headers, body } = await posted('/v1', 'review.case.created')
  for (const secret of [first, second]) {
    const event = new Webhook(secret).verify(body.toString(), headers) as { sessionId: string }
    assert.equal(event.sessionId, 'ses_v1')
  }
  assert.equal(headers['webhook-id'], JSON.parse(body.toString()).id)
  body[body.length - 2] = 32
  assert.throws(() => new Webhook(second).verify(body.toString(), headers))
})

test('what is sent under v1a verifies with node:crypto and the published key', async () => {
  await server.service.webhooks.create(admin, {
    url: `${origin}/v1a`,
    eventTypes: ['review.case.created'],
  })
  await open('ses_v1a')
  const { headers, body } = await posted('/v1a', 'review.case.created')
  const { keys } = granted(await server.service.webhookKeys.read({ tenantId: admin.tenantId }))
  const [jwk] = keys
  assert.ok(jwk)
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  const signature = /v1a,(\S+)/.exec(headers['webhook-signature'] ?? '')?.[1] ?? ''
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  const message = Buffer.concat([Buffer.from(signed), body])
  assert.ok(verify(null, message, key, Buffer.from(signature, 'base64')))
})
