import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createReviews, type ReviewsOptions } from '@countersign/agents'
import { reviewersIn } from '@countersign/agents/reviewers'
import type { CaseAnswer } from '@countersign/client'
import { openWorld, type World } from '@countersign/reference-server/reviewed'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import * as z from 'zod'
import { approvalHandler } from '../index.ts'
import { post } from './post.ts'
import { declared, main, manifest } from './programs.ts'

type Members = Readonly<Record<string, unknown>>

describe("the programs with --reviewers, by a reviewer's own signatures", () => {
  let world: World
  let directory: string
  /** The reviewer's key, and the same as if it were somebody else's. */
  const files = { known: '', foreign: '' }
  let pinned: string
  before(async () => {
    world = await openWorld()
    directory = mkdtempSync(join(tmpdir(), 'pinned-'))
    const known = await world.enrol()
    pinned = JSON.stringify(known)
    const keys = known.keys.map((key) => ({ ...key, memberId: 'mem_1' }))
    for (const [name, file] of Object.entries({ known, foreign: { ...known, keys } })) {
      files[name as keyof typeof files] = join(directory, `${name}.json`)
      writeFileSync(join(directory, `${name}.json`), JSON.stringify(file))
    }
  })
  const clients: OlderClient[] = []
  after(async () => {
    // One that failed leaves its own.
    await Promise.all(clients.map((client) => client.close()))
    world.end()
    rmSync(directory, { recursive: true, force: true })
  })

  /** A program as a client starts it, with these arguments. */
  async function started(...given: readonly string[]): Promise<OlderClient> {
    const { ingestUrl, apiKey } = world.told
    const client = new OlderClient({ name: 'test', version: '1.0.0' })
    clients.push(client)
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [main, ...given],
        env: {
          COUNTERSIGN_INGEST_URL: ingestUrl,
          SERVICE_API_KEY: apiKey,
          COUNTERSIGN_TASK_SECRET: 'a secret of at least 32 characters',
        },
        stderr: 'ignore',
      }),
    )
    return client
  }

  async function told(
    client: OlderClient,
    name: string,
    given: Record<string, unknown>,
    meta: Record<string, unknown> = {},
  ): Promise<Members & { readonly text: string }> {
    const { structuredContent, content, ...rest } = await client.callTool({
      name,
      arguments: given,
      _meta: meta,
    })
    return { ...rest, ...(structuredContent as Members), text: JSON.stringify(content) }
  }

  const asking = (session: string, file: string) =>
    started('--session', session, '--wait', '1', '--reviewers', file)

  it('the approval server tells once what they signed, to a process that comes after too', async () => {
    for (const decision of ['approved', 'rejected'] as const) {
      const [session, isApproved] = [`p-${decision}`, decision === 'approved']
      const asked = { action: 'deploy', arguments: { to: 'production' }, why: 'The fix is in.' }
      const first = await asking(session, files.known)
      const { reviewCaseId, state } = await told(first, 'ask_for_approval', asked)
      assert.equal(state, 'open')
      await first.close()
      await world.decide(session, decision)
      const foreign = await asking(session, files.foreign)
      for (const [name, given] of [
        ['check_approval', { reviewCaseId }],
        ['ask_for_approval', asked],
      ] as const)
        assert.match((await told(foreign, name, given)).text, /decision_not_signed/)
      await foreign.close()
      const next = await asking(session, files.known)
      const heard = await told(next, 'check_approval', { reviewCaseId })
      assert.deepEqual([heard.approved, heard.spent], [isApproved, false], heard.text)
      const again = await told(next, 'check_approval', { reviewCaseId })
      assert.deepEqual([again.approved, again.spent], [isApproved, isApproved], again.text)
      await next.close()
    }
  })

  it('the handler tells a task what they signed', async () => {
    const session = 'p-http'
    const handle = approvalHandler(world.client, {
      hosts: ['mcp.example.com'],
      authorize: async () => ({ sessionId: session }),
      reviewers: reviewersIn(pinned),
    })
    const ask = { name: 'ask_for_approval', arguments: { action: 'deploy', key: 'k' } }
    const { taskId } = (await post(handle, 'tools/call', ask)).result
    assert.equal((await post(handle, 'tasks/get', { taskId })).result.status, 'working')
    await world.decide(session, 'approved')
    const { status, result } = (await post(handle, 'tasks/get', { taskId })).result
    assert.deepEqual([status, result.structuredContent.approved], ['completed', true])
  })

  it('nothing counts but what they signed of this very action, whatever the service tells', async () => {
    const session = 'p-told'
    const reviewers = reviewersIn(pinned)
    const { reviewCases } = world.client
    let tell = (review: CaseAnswer) => review
    const telling =
      <Given extends readonly unknown[]>(call: (...given: Given) => Promise<CaseAnswer>) =>
      async (...given: Given) =>
        tell(await call(...given))
    const { open, read, find, cancel, reportContinuation } = reviewCases
    const client = {
      ...world.client,
      reviewCases: {
        ...reviewCases,
        open: telling(open),
        read: telling(read),
        find: telling(find),
        cancel: telling(cancel),
        reportContinuation: telling(reportContinuation),
      },
    }
    const ran: unknown[] = []
    const callOf = (to: string) => ({
      sessionId: session,
      callId: to,
      name: 'deploy',
      input: { to },
    })
    const acting = (options: Pick<ReviewsOptions, 'identify' | 'others'>) => {
      const reviews = createReviews(client, { tools: {}, reviewers, ...options })
      const run = (to: string) =>
        reviews.run(callOf(to), (_, input) => void ran.push(input)).then(() => '', String)
      return { ...reviews, run }
    }
    const byId = acting({})
    const byContent = acting({ identify: 'content' })
    const elsewhere = acting({ others: { describe: () => ({ summary: 'In /srv/other' }) } })
    const handle = approvalHandler(client, {
      hosts: ['mcp.example.com'],
      authorize: async () => ({ sessionId: session }),
      reviewers,
      waitMs: 1,
      pollMs: 1,
    })
    const ask = { name: 'ask_for_approval', arguments: { action: 'deploy', key: 'production' } }

    await byId.check(callOf('test'))
    await world.decide(session, 'approved')
    const [signed] = await world.casesOf(session)
    for (const reviews of [byId, byContent]) await reviews.check(callOf('production'))
    const { taskId } = (await post(handle, 'tools/call', ask)).result
    assert.ok(signed && taskId)
    const { decisionSignature } = signed as { readonly decisionSignature?: unknown }
    assert.ok(decisionSignature)
    const approved = { state: 'decided', decision: 'approved' } as const
    const { caseVersion, presentation, reviewCaseId, checkpoint } = signed
    const lies: readonly object[] = [
      { ...approved, decisionSignature: null },
      { ...approved, decisionSignature },
      { ...approved, decisionSignature, caseVersion },
      { ...approved, decisionSignature, caseVersion, checkpoint },
      { ...approved, decisionSignature, caseVersion, checkpoint, reviewCaseId },
      { ...signed, continuation: null, presentation: undefined },
    ]
    for (const lie of lies) {
      tell = (review) => {
        const shown = { presentation: review.presentation, continuation: review.continuation }
        return { ...review, ...lie, ...('presentation' in lie && shown) } as CaseAnswer
      }
      for (const { run } of [byId, byContent])
        assert.match(await run('production'), /decision_not_signed/, JSON.stringify(lie))
      const check = { name: 'check_approval', arguments: { reviewCaseId: taskId } }
      const answers = [
        await post(handle, 'tools/call', ask),
        await post(handle, 'tools/call', check, { tasks: false }),
        await post(handle, 'tasks/get', { taskId }),
      ]
      for (const { result, error } of answers)
        assert.match(JSON.stringify({ result, error }), /decision_not_signed|no such/i)
    }
    tell = (review) => review
    assert.deepEqual(ran, [])
    // The same call, of which they saw other words.
    assert.match(await elsewhere.run('test'), /otherwise described/)
    assert.equal(await byId.run('test'), '')
    assert.match(await byId.run('test'), /begun under its approval before/)
    assert.deepEqual(ran, [{ to: 'test' }])
    assert.deepEqual(presentation?.action, { tool: 'deploy', arguments: { to: 'test' } })
    for (const { continuation } of (await world.casesOf(session)).slice(1))
      assert.equal(continuation, null)
  })

  it('the gateway hands on once what they signed, in place and as a task', async () => {
    for (const isTask of [false, true]) {
      const session = `p-gateway-${isTask}`
      const open = (file: string) =>
        started(
          ...['gateway', '--server', 'files', '--session', session, '--wait', '50'],
          ...['--reviewers', file, '--', process.execPath],
          ...[join(dirname(manifest), 'dist/index.js'), directory],
        )
      const path = join(directory, `${session}.txt`)
      const write = { path, content: 'written' }
      const [first, foreign] = [await open(files.known), await open(files.foreign)]
      if (isTask) {
        const result = z.looseObject({ status: z.string() })
        const { taskId } = await told(foreign, 'write_file', write, declared)
        await world.decide(session, 'approved')
        const poll = async (client: OlderClient) => {
          const params = { taskId: String(taskId), _meta: declared }
          return JSON.stringify(await client.request({ method: 'tasks/get', params }, result))
        }
        assert.doesNotMatch(await poll(foreign), /Successfully/)
        assert.ok(!existsSync(path))
        assert.match(await poll(first), /Successfully wrote/)
        assert.equal(readFileSync(path, 'utf8'), 'written')
        rmSync(path)
        await poll(first)
      } else {
        const [heard] = await Promise.all([
          told(foreign, 'write_file', write),
          world.decide(session, 'approved'),
        ])
        assert.match(heard.text, /decision_not_signed/)
        assert.ok(!existsSync(path))
        assert.match((await told(first, 'write_file', write)).text, /Successfully wrote/)
        assert.equal(readFileSync(path, 'utf8'), 'written')
        rmSync(path)
        const [again] = await Promise.all([
          told(first, 'write_file', write),
          world.decide(session, 'rejected'),
        ])
        assert.match(again.text, /Rejected by a reviewer/)
      }
      assert.ok(!existsSync(path))
      await Promise.all([first.close(), foreign.close()])
    }
  })
})
