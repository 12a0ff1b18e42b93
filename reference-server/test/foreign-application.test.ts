import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOutcomeCallbackHandler, isApproved, memoryInbox } from '@countersign/receiver-kit'
import { composeServer } from '../compose.ts'
import { readConfig } from '../config.ts'
import { prepareLocal } from '../local.ts'
import { granted, seedDemo } from '../seed.ts'

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

async function readPost(request: IncomingMessage): Promise<Post> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return { headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) }
}

test('an approval for one application, forwarded to another one’s endpoint, resumes nothing there', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-foreign-'))
  const setup = await prepareLocal(
    directory,
    { ingest: 0, portal: 0, staff: 0, receiver: 1 },
    Date.now(),
  )
  const { tlsKey, tlsCert } = setup.files
  const arrived = new Map<string, (post: Post) => void>()
  const posted = (path: string) => new Promise<Post>((resolve) => arrived.set(path, resolve))
  const sink = createServer(
    { key: readFileSync(tlsKey), cert: readFileSync(tlsCert) },
    async (request, response) => {
      const post = await readPost(request)
      response.writeHead(204).end()
      arrived.get(request.url ?? '')?.(post)
    },
  )
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${(sink.address() as AddressInfo).port}`
  const server = await composeServer(
    readConfig({ ...setup.environment, COUNTERSIGN_LOG_LEVEL: 'silent' }),
  )
  const { service } = server
  try {
    const demo = await seedDemo(service, {
      credentialsFile: join(directory, 'demo.json'),
      receiverUrl: `${origin}/a`,
    })
    const { email, password } = demo.admin
    const login = granted(await service.auth.login({ email, password, address: 'test' }))
    const admin = granted(await service.access.authenticateMember(login.token))
    const other = granted(await service.applications.create(admin, { name: 'Another' }))
    granted(
      await service.applications.setOutcomeCallback(admin, {
        applicationId: other.applicationId,
        url: `${origin}/b/outcomes`,
        enabled: true,
      }),
    )
    const otherKey = granted(
      await service.applicationKeys.create(admin, {
        applicationId: other.applicationId,
        label: 'b',
      }),
    )
    const approvedCase = async (key: string) => {
      const application = granted(await service.access.authenticateApplication(key))
      const opened = granted(
        await service.reviewCases.open(application, {
          sessionId: 'ses_shared',
          checkpointId: 'before-payment',
          reasonCategory: 'high_risk_action',
          presentation: { action: 'payment' },
          idempotencyKey: 'open',
        }),
      )
      const { caseVersion, presentationDigest } = granted(
        await service.reviewCases.claim(admin, { reviewCaseId: opened.reviewCaseId }),
      )
      granted(
        await service.reviewCases.decide(admin, {
          reviewCaseId: opened.reviewCaseId,
          caseVersion,
          presentationDigest: presentationDigest ?? '',
          decision: 'approved',
        }),
      )
    }
    service.start()

    const resumed: string[] = []
    const inbox = memoryInbox()
    const handler = createOutcomeCallbackHandler({
      keys: [demo.publicKey],
      applicationId: demo.applicationId,
      inbox,
      onOutcome: ({ outcome }) => {
        if (isApproved(outcome)) resumed.push(`${outcome.applicationId} ${outcome.checkpointId}`)
      },
    })
    const forward = async ({ headers, body }: Post) => {
      const { status, body: text } = await handler.handle({ method: 'POST', headers, body })
      await handler.drain()
      return { status, code: text && JSON.parse(text).code }
    }

    const toB = posted('/b/outcomes')
    await approvedCase(otherKey.value)
    const stolen = await toB
    assert.deepEqual(await forward(stolen), { status: 403, code: 'foreign_application' })
    assert.deepEqual(resumed, [])
    assert.deepEqual(await inbox.has([stolen.headers['webhook-id'] ?? '']), [false])

    const toA = posted('/a/outcomes')
    await approvedCase(demo.applicationKey)
    assert.deepEqual(await forward(await toA), { status: 204, code: null })
    assert.deepEqual(resumed, [`${demo.applicationId} before-payment`])
  } finally {
    await server.stop()
    sink.closeAllConnections()
    sink.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
