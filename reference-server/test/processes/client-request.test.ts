import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerOptions } from 'node:https'
import { after, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, type ReviewOutcome } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'
import { createOutcomeCallbackHandler, memoryInbox } from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { decideAll, type KilledServer, prepareKilledServer } from './killed-requests.ts'
import { scratchDirectory } from './scratch.ts'
import { prepareStage } from './stage.ts'

let server: KilledServer | null = null
// A test that fails leaves nobody waiting.
const leaving = new AbortController()
after(() => {
  leaving.abort()
  return server?.end()
})

const names = Array.from({ length: 8 }, (_, i) => `ask-${i}`)
const wanted = (sessionId: string) => (Number(sessionId.at(-1)) % 2 === 0 ? 'approved' : 'rejected')

it('requests outlive kills of the server while they open and while they wait, none lost or doubled', async () => {
  server = await prepareKilledServer(scratchDirectory())
  const { client, portal, start, kill } = server
  await start()
  const ask = (name: string): Promise<ReviewOutcome> =>
    client.reviewCases.request(
      {
        sessionId: `ses_${name}`,
        checkpointId: 'before-payment',
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay', step: name },
      },
      { pollMs: [20, 200], signal: leaving.signal },
    )
  const asked = names.slice(0, 4).map(ask)
  // Some have an answer by now and some have not.
  await pause(15)
  await kill()
  asked.push(...names.slice(4).map(ask))
  await start()
  await pause(30)
  await kill()
  await start()

  const decided = new AbortController()
  const reviewing = (async () => {
    while (!decided.signal.aborted) {
      await decideAll(portal, wanted)
      await pause(50)
    }
  })()
  const [outcomes] = await Promise.all([
    Promise.all(asked).finally(() => decided.abort()),
    reviewing,
  ])
  assert.deepEqual(
    outcomes.map(({ sessionId, decision, approved }) => [sessionId, decision, approved]),
    names.map((name) => {
      const sessionId = `ses_${name}`
      return [sessionId, wanted(sessionId), wanted(sessionId) === 'approved']
    }),
  )
  const sessions: string[] = []
  for await (const { sessionId } of portal.reviewCases.list()) sessions.push(sessionId)
  assert.deepEqual(
    sessions.toSorted(),
    names.map((name) => `ses_${name}`),
  )
})

it('a request ends by the outcome callback, long before it would read the case again', async () => {
  const called = await prepareStage(scratchDirectory())
  const { organization, setup } = called
  const { ingest, portal: portalUrl } = await called.start()
  const client = createClient({ ingestUrl: ingest, apiKey: organization.applicationKey })
  const handler = createOutcomeCallbackHandler({
    keys: [organization.publicKey],
    applicationId: organization.applicationId,
    inbox: memoryInbox(),
    onOutcome: ({ outcome }) => void client.reviewCases.settle(outcome),
  })
  const [key, cert] = [setup.files.tlsKey, setup.files.tlsCert].map((file) => readFileSync(file))
  const mounted = nodeHandler(handler)
  const receiver = createServer({ key, cert } as ServerOptions, (request, response) => {
    if (request.url === '/outcomes') void mounted(request, response)
    else response.writeHead(204).end()
  })
  receiver.listen(setup.ports.receiver, '127.0.0.1')
  await once(receiver, 'listening')
  handler.start()
  try {
    const portal = createPortalClient({ portalUrl })
    await portal.auth.login(organization.reviewer)
    const { approved, sessionId } = await client.reviewCases.request(
      {
        sessionId: 'ses_ask-0',
        checkpointId: 'before-payment',
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay' },
      },
      { pollMs: [3_600_000, 3_600_000], onOpen: () => void decideAll(portal, wanted) },
    )
    assert.deepEqual([approved, sessionId], [true, 'ses_ask-0'])
  } finally {
    await handler.stop()
    receiver.close()
    receiver.closeAllConnections()
    await called.end()
  }
})
