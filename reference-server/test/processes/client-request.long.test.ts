import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Client, ReviewOutcome, WaitOptions } from '@countersign/client'
import { until } from '../../demo/processes.ts'
import { decideAll, type KilledServer, persevere, prepareKilledServer } from './killed-requests.ts'
import { scratchDirectory } from './scratch.ts'

const directories = [scratchDirectory(), scratchDirectory()] as const
const servers: KilledServer[] = []
// A test that fails leaves nobody waiting.
const leaving = new AbortController()
after(async () => {
  leaving.abort()
  for (const server of servers) await server.end()
})

async function prepare(directory: string): Promise<KilledServer> {
  const server = await prepareKilledServer(directory)
  servers.push(server)
  await server.start()
  return server
}

const names = Array.from({ length: 6 }, (_, i) => `ses_ask-${i}`)
const wanted = (sessionId: string) => (Number(sessionId.at(-1)) % 2 === 0 ? 'approved' : 'rejected')

function ask(client: Client, sessionId: string, more: WaitOptions = {}): Promise<ReviewOutcome> {
  return client.reviewCases.request(
    {
      sessionId,
      checkpointId: 'before-payment',
      reasonCategory: 'high_risk_action',
      presentation: { action: 'pay', step: sessionId },
      // Counted anew each time.
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    },
    { signal: leaving.signal, ...more },
  )
}

const told = (outcomes: readonly ReviewOutcome[]) =>
  outcomes.map(({ sessionId, decision, approved }) => [sessionId, decision, approved])
const expected = names.map((name) => [name, wanted(name), wanted(name) === 'approved'])

async function sessionsOf({ portal }: KilledServer): Promise<readonly string[]> {
  const sessions: string[] = []
  for await (const { sessionId } of portal.reviewCases.list()) sessions.push(sessionId)
  return sessions.toSorted()
}

it('a decision that was told before a kill is the outcome after it', async () => {
  const server = await prepare(directories[0])
  const { client, portal } = server
  let open = 0
  const onOpen = () => {
    open++
  }
  // Nobody reads a case between its decision and the kill.
  const asked = names.map((name) => ask(client, name, { onOpen, pollMs: [20_000, 20_000] }))
  await until('the cases to be open', 20_000, async () => open === names.length)
  await decideAll(portal, wanted)
  await server.kill()
  await server.start()
  // As applications that were restarted, beside those that still wait.
  const again = await Promise.all(names.map((name) => ask(server.newClient(), name)))
  assert.deepEqual(told(again), expected)
  assert.deepEqual(told(await Promise.all(asked)), expected)
  assert.deepEqual(await sessionsOf(server), names)
})

it('questions and answers outlive kills, each answered once', async () => {
  const server = await prepare(directories[1])
  const { client, portal } = server
  const questions: string[] = []
  let restarted: Promise<void> | null = null
  const onFollowUp = (question: string, { sessionId }: { readonly sessionId: string }) => {
    questions.push(`${sessionId}: ${question}`)
    // While some answers are on their way, and some questions not yet asked.
    if (questions.length === 2) restarted = server.kill().then(() => server.start())
    return `for ${sessionId}`
  }
  const asked = names.map((name) => ask(client, name, { onFollowUp, pollMs: [20, 200] }))
  const cases = async () => (await portal.reviewCases.list({ state: 'open' })).reviewCases
  await until('the cases to be open', 20_000, async () => (await cases()).length === names.length)
  await persevere(async () => {
    for (const { reviewCaseId, followUps } of await cases()) {
      if (followUps.length > 0) continue
      const seen = await portal.reviewCases.claim({ reviewCaseId })
      if (seen.followUps.length === 0)
        await portal.reviewCases.requestFollowUp({ case: seen, question: 'Who ordered it?' })
    }
  })
  const answered = async () =>
    (await cases()).every(({ followUps }) => followUps.at(-1)?.answer != null)
  await until('the answers', 30_000, () => persevere(answered))
  assert.ok(restarted)
  await restarted
  // What was answered is kept, also for an application that is restarted.
  await server.kill()
  await server.start()
  assert.deepEqual(
    (await cases())
      .toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
      .map(({ sessionId, followUps }) => [sessionId, followUps.map(({ answer }) => answer)]),
    names.map((name) => [name, [`for ${name}`]]),
  )
  const again = names.map((name) => ask(server.newClient(), name, { pollMs: [20, 200] }))
  await decideAll(portal, wanted)
  assert.deepEqual(told(await Promise.all(asked)), expected)
  assert.deepEqual(told(await Promise.all(again)), expected)
  assert.deepEqual(
    questions.toSorted(),
    names.map((name) => `${name}: Who ordered it?`),
  )
  assert.deepEqual(await sessionsOf(server), names)
})
