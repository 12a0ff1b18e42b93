import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createReviews } from '@countersign/agents'
import { openWorld, type World } from '@countersign/reference-server/reviewed'
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { approvalHandler, approvalServer, registerReviewedTool } from '../index.ts'
import { post } from './post.ts'
import { main, manifest } from './programs.ts'

describe('MCP, with the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  /** A client of the older SDK, connected to a server. */
  async function older(server: McpServer): Promise<OlderClient> {
    const [here, there] = InMemoryTransport.createLinkedPair()
    await server.connect(there)
    const client = new OlderClient({ name: 'test', version: '1.0.0' })
    // The two SDKs declare one protocol's transport each.
    await client.connect(here as unknown as Transport)
    return client
  }

  const asking = (sessionId: string, waitMs = 20_000) =>
    older(approvalServer(world.client, { sessionId, waitMs, pollMs: 50 }))

  /** What a tool answered, as data. */
  async function told(
    client: OlderClient,
    name: string,
    given: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> & { text: string; isError: unknown }> {
    const answer = await client.callTool(
      { name, arguments: given },
      undefined,
      signal ? { signal } : {},
    )
    const { structuredContent, content, isError = false } = answer
    return {
      ...(structuredContent as Record<string, unknown>),
      text: JSON.stringify(content),
      isError,
    }
  }

  /** What a call is answered that is made again for as long as its answer asks for that. */
  async function answered(call: () => ReturnType<typeof told>): ReturnType<typeof told> {
    for (;;) {
      const heard = await call()
      if (!/same call again later/.test(heard.text)) return heard
    }
  }

  /** Makes a call until its session has so many cases: on a busy machine it may be left before it was asked for. */
  async function untilAsked(session: string, number: number, call: () => ReturnType<typeof told>) {
    do assert.match((await call()).text, /same call again later/)
    while ((await world.casesOf(session)).length < number)
  }

  it('an older client asks, waits, and is told once for each approval', async () => {
    const client = await asking('m-1')
    const asked = { action: 'deploy', arguments: { to: 'production' }, why: 'The fix is in.' }
    const waiting = told(client, 'ask_for_approval', asked)
    await world.decide('m-1', 'approved')
    const first = await waiting
    assert.deepEqual([first.approved, first.spent], [true, false])
    const again = told(client, 'ask_for_approval', asked)
    await world.decide('m-1', 'rejected')
    assert.equal((await again).approved, false)
    const [one, two] = await world.casesOf('m-1')
    assert.deepEqual(one?.presentation, {
      action: { tool: 'deploy', arguments: { to: 'production' } },
      title: 'Asked for by the agent itself',
      summary: 'The fix is in.',
    })
    assert.equal(two?.decision, 'rejected')
    const { spent, approved } = await told(client, 'check_approval', {
      reviewCaseId: one?.reviewCaseId,
    })
    assert.deepEqual([approved, spent], [true, true])
    await client.close()
  })

  it('an older client goes on after a wait that was too long, and cancels nothing by leaving', async () => {
    const client = await asking('m-2', 300)
    const asked = { action: 'deploy', key: 'k-1' }
    const late = await told(client, 'ask_for_approval', asked)
    assert.equal(late.state, 'open')
    assert.match(late.text, /check_approval/)
    const left = AbortSignal.timeout(100)
    await assert.rejects(told(client, 'ask_for_approval', asked, left))
    const { reviewCaseId } = late
    await world.question('m-2', 'To where?')
    assert.match((await told(client, 'check_approval', { reviewCaseId })).text, /To where\?/)
    await told(client, 'check_approval', { reviewCaseId, answer: 'To production.' })
    await world.decide('m-2', 'approved')
    assert.equal((await told(client, 'check_approval', { reviewCaseId })).approved, true)
    assert.equal((await world.casesOf('m-2')).length, 1)
    // The key is of this action alone.
    const other = await told(client, 'ask_for_approval', { ...asked, arguments: { to: 'x' } })
    assert.deepEqual([other.isError, other.approved], [true, undefined])
    await client.close()
  })

  it('of clients who ask the same at once, one alone is told that the approval is theirs', async () => {
    const session = 'm-13'
    const { reviewCases } = world.client
    let opened = 0
    let all = () => {}
    const areOpened = new Promise<void>((resolve) => {
      all = resolve
    })
    const open: typeof reviewCases.open = async (...given) => {
      const review = await reviewCases.open(...given)
      if (++opened === 3) all()
      return review
    }
    const client = { ...world.client, reviewCases: { ...reviewCases, open } }
    const options = { sessionId: session, waitMs: 20_000, pollMs: 50 }
    const clients = await Promise.all([1, 2, 3].map(() => older(approvalServer(client, options))))
    const waiting = clients.map((each) => told(each, 'ask_for_approval', { action: 'deploy' }))
    // Who asks after the approval was spent asks for another.
    await areOpened
    await world.decide(session, 'approved')
    const heard = await Promise.all(waiting)
    assert.ok(heard.every(({ approved }) => approved))
    assert.equal(heard.filter(({ spent }) => spent === false).length, 1)
    assert.equal((await world.casesOf(session)).length, 1)
    await Promise.all(clients.map((each) => each.close()))
  })

  it('an approval of a tool that is held back is none of what an agent asks for', async () => {
    const [session, call] = ['m-14', { sessionId: 'm-14', callId: 'c', name: 'deploy', input: {} }]
    const byId = createReviews(world.client, { tools: { deploy: {} } })
    const byContent = createReviews(world.client, { tools: { deploy: {} }, identify: 'content' })
    const client = await asking(session, 200)
    for (const reviews of [byId, byContent]) {
      await reviews.check(call)
      await world.decide(session, 'approved')
    }
    const held = await world.casesOf(session)
    for (const { reviewCaseId } of held) {
      for (const name of ['check_approval', 'withdraw_approval'])
        assert.match((await told(client, name, { reviewCaseId })).text, /no such request/)
    }
    for (const given of [{}, { key: 'c' }])
      assert.equal(
        (await told(client, 'ask_for_approval', { action: 'deploy', ...given })).state,
        'open',
      )
    for (const reviews of [byId, byContent])
      assert.equal(await reviews.run(call, () => 'ran'), 'ran')
    await client.close()
  })

  it('no case of another session is found', async () => {
    const client = await asking('m-3', 200)
    const { reviewCaseId } = await told(client, 'ask_for_approval', { action: 'deploy' })
    const stranger = await asking('m-4', 200)
    for (const name of ['check_approval', 'withdraw_approval'])
      assert.match((await told(stranger, name, { reviewCaseId })).text, /no such request/)
    assert.equal((await world.casesOf('m-3'))[0]?.state, 'open')
    const withdrawn = await told(client, 'withdraw_approval', { reviewCaseId })
    assert.equal(withdrawn.state, 'cancelled')
    await Promise.all([client.close(), stranger.close()])
  })

  it('a reviewed tool runs once what was approved', async () => {
    const reviews = createReviews(world.client, {
      tools: { transfer: {} },
      identify: 'content',
      pollMs: [20, 50],
    })
    const paid: number[] = []
    const server = new McpServer({ name: 'payments', version: '1.0.0' })
    const inputSchema = z.object({ amount: z.number() })
    const options = { inputSchema, sessionId: 'm-5', waitMs: 100 }
    registerReviewedTool(server, reviews, 'transfer', options, async ({ amount }) => {
      paid.push(amount)
      return { content: [{ type: 'text', text: `paid ${amount}` }] }
    })
    const client = await older(server)
    const call = () => told(client, 'transfer', { amount: 5 })
    await untilAsked('m-5', 1, call)
    await world.decide('m-5', 'approved')
    assert.match((await answered(call)).text, /paid 5/)
    await untilAsked('m-5', 2, call)
    assert.deepEqual([paid, (await world.casesOf('m-5')).length], [[5], 2])
    await client.close()
  })

  describe('over HTTP', () => {
    const handle = (request: Request) =>
      approvalHandler(world.client, {
        waitMs: 50_000,
        pollMs: 50,
        hosts: ['mcp.example.com'],
        origins: ['desk.example.com'],
        authorize: async ({ headers }) => {
          const sessionId = headers.get('authorization')
          return sessionId === null ? null : { sessionId }
        },
      })(request)

    const posted = (
      method: string,
      params: Record<string, unknown>,
      { tasks = true, session = 'm-6', headers = {} } = {},
    ) => post(handle, method, params, { tasks, headers: { authorization: session, ...headers } })

    const ask = { name: 'ask_for_approval', arguments: { action: 'deploy', key: 'k' } }

    it('the case is the task for a client that declares the extension', async () => {
      const { result: created } = await posted('tools/call', ask)
      assert.ok(isCreateTaskResultV2(created), JSON.stringify(created))
      const { taskId } = created
      const get = async () => {
        const { result, error } = await posted('tasks/get', { taskId })
        assert.ok(isDetailedTaskV2(result), JSON.stringify({ result, error }))
        return result
      }
      assert.equal((await get()).status, 'working')
      await world.question('m-6', 'To where?')
      assert.equal((await get()).status, 'input_required')
      const answer = { action: 'accept', content: { answer: 'To production.' } }
      const update = await posted('tasks/update', { taskId, inputResponses: { answer } })
      assert.equal(update.error, undefined, JSON.stringify(update.error))
      assert.equal((await get()).status, 'working')
      // Any process tells it, and none of another session.
      const stranger = await posted('tasks/get', { taskId }, { session: 'm-7' })
      assert.ok(stranger.error)
      await world.decide('m-6', 'approved')
      for (const _ of [1, 2]) {
        const done = await get()
        assert.ok(done.status === 'completed')
        const { approved } = done.result.structuredContent as { approved?: boolean }
        assert.equal(approved, true)
      }
      const { result: other } = await posted('tools/call', ask, { session: 'm-8' })
      await posted('tasks/cancel', { taskId: other.taskId }, { session: 'm-8' })
      assert.equal((await world.casesOf('m-8'))[0]?.state, 'cancelled')
    })

    it('a client without it waits', async () => {
      const options = { tasks: false, session: 'm-9' }
      const waiting = posted('tools/call', ask, options)
      await world.decide('m-9', 'approved')
      assert.equal((await waiting).result.structuredContent.approved, true)
    })

    it('an older client waits, and the server keeps nothing of it', async () => {
      const handle = approvalHandler(world.client, {
        waitMs: 50_000,
        pollMs: 50,
        hosts: ['a'],
        authorize: async () => ({ sessionId: 'm-12' }),
      })
      const waiting = handle(
        new Request('https://a/mcp', {
          method: 'POST',
          headers: {
            host: 'a',
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: ask }),
        }),
      ).then((answer) => answer.text())
      await world.decide('m-12', 'approved')
      assert.match(await waiting, /"approved":true/)
    })

    it('refuses foreign hosts and origins, and who is not authorized', async () => {
      const refused = [
        { host: 'evil.example.com' },
        { origin: 'https://evil.example.com' },
        { origin: 'null' },
      ]
      for (const headers of refused)
        assert.equal((await posted('tools/call', ask, { headers })).status, 403)
      const handle = approvalHandler(world.client, { hosts: ['a'], authorize: async () => null })
      const request = new Request('https://a/mcp', { method: 'POST', headers: { host: 'a' } })
      assert.equal((await handle(request)).status, 401)
      const own = { origin: 'https://desk.example.com' }
      const { status } = await posted('tools/call', ask, { headers: own, session: 'm-10' })
      assert.equal(status, 200)
    })
  })

  it('the gateway holds back the tools of a server that it does not know', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-'))
    writeFileSync(join(directory, 'a.txt'), 'hello')
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        ...[main, 'gateway', '--server', 'files', '--session', 'm-11', '--wait', '0.2'],
        ...['--run', 'read_*,list_*', '--'],
        ...[process.execPath, join(dirname(manifest), 'dist/index.js'), directory],
      ],
      env: {
        COUNTERSIGN_INGEST_URL: world.told.ingestUrl,
        SERVICE_API_KEY: world.told.apiKey,
      },
      stderr: 'ignore',
    })
    const client = new OlderClient({ name: 'test', version: '1.0.0' })
    await client.connect(transport)
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'write_file'))
    const file = join(directory, 'a.txt')
    assert.match((await told(client, 'read_text_file', { path: file })).text, /hello/)
    assert.equal((await world.casesOf('m-11')).length, 0)

    const write = () => told(client, 'write_file', { path: file, content: 'changed' })
    await untilAsked('m-11', 1, write)
    assert.equal(readFileSync(file, 'utf8'), 'hello')
    await world.decide('m-11', 'approved')
    assert.equal((await answered(write)).isError, false)
    assert.equal(readFileSync(file, 'utf8'), 'changed')
    // Spent, and asked for anew; a changed call is another.
    await untilAsked('m-11', 2, write)
    await world.decide('m-11', 'rejected')
    assert.match((await answered(write)).text, /Rejected by a reviewer/)
    const moved = { source: file, destination: join(directory, 'b.txt') }
    await untilAsked('m-11', 3, () => told(client, 'move_file', moved))
    assert.ok(existsSync(file) && !existsSync(moved.destination))
    assert.equal((await world.casesOf('m-11')).length, 3)
    await client.close()
    rmSync(directory, { recursive: true, force: true })
  })
})
