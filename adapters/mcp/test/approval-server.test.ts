import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, NotRun } from '@countersign/agents'
import { ApiError, type CaseAnswer } from '@countersign/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server'
import { type ApprovalServerOptions, approvalServer } from '../approval-server.ts'
import { oneCase } from './one-case.ts'
import { post } from './post.ts'

const asked = { name: 'ask_for_approval', arguments: { action: 'deploy', key: 'k' } }

describe('approvalServer', () => {
  it('tells an approval as unspent once, also where the case is a task', async () => {
    const { client, decide, review } = oneCase()
    const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
    const call = async (method: string, params: Record<string, unknown>, tasks = true) =>
      (await post((request) => handler.fetch(request), method, params, { tasks })).result
    const ask = (tasks: boolean) => call('tools/call', asked, tasks)
    const { status, taskId } = await ask(true)
    assert.equal(status, 'working')
    decide('approved')
    const first = (await call('tasks/get', { taskId })).result.structuredContent
    assert.deepEqual([first.approved, first.spent], [true, false])
    assert.equal(review().continuation?.outcome, 'resumed')
    for (const tasks of [true, false]) {
      const again = (await ask(tasks)).structuredContent
      assert.deepEqual([again.approved, again.spent], [true, true], String(tasks))
    }
  })

  it('tells of no decision that no pinned reviewer signed, and spends none', async () => {
    for (const decision of ['approved', 'rejected'] as const) {
      const { client, decide, review } = oneCase()
      let fault: string | null = 'no such key'
      const checked: object[] = []
      const reviewers: NonNullable<ApprovalServerOptions['reviewers']> = {
        async faultOf(_, { presentation }) {
          checked.push(presentation)
          return fault === null ? null : { code: 'not_signed', detail: fault }
        },
      }
      const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's', reviewers }))
      const call = async (method: string, params: Record<string, unknown>, tasks = true) =>
        (await post((request) => handler.fetch(request), method, params, { tasks })).result
      const why = { ...asked, arguments: { ...asked.arguments, why: 'Release 7' } }
      const { taskId } = await call('tools/call', why)
      decide(decision)
      const check = { name: 'check_approval', arguments: { reviewCaseId: taskId } }
      const told = [await call('tools/call', why), await call('tools/call', check, false)]
      told.push((await call('tasks/get', { taskId })).result)
      for (const { isError, content } of told)
        assert.deepEqual([isError, /decision_not_signed/.test(content[0].text)], [true, true])
      assert.equal(review().continuation, null)
      fault = null
      const { structuredContent } = await call('tools/call', check, false)
      assert.deepEqual(
        [structuredContent.approved, structuredContent.spent],
        [decision === 'approved', false],
      )
      const action = { tool: 'deploy', arguments: {} }
      const shown = { action, title: 'Asked for by the agent itself', summary: 'Release 7' }
      for (const each of checked) assert.deepEqual(each, shown)
    }
  })

  it('tells of no withdrawn request what no pinned reviewer signed', async () => {
    for (const decision of ['approved', 'rejected'] as const) {
      const { client, reviewCases, decide, change } = oneCase()
      let fault: string | null = 'no such key'
      const reviewers: NonNullable<ApprovalServerOptions['reviewers']> = {
        faultOf: async () => (fault === null ? null : { code: 'not_signed', detail: fault }),
      }
      const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's', reviewers }))
      const call = async (method: string, params: Record<string, unknown>) =>
        (await post((request) => handler.fetch(request), method, params)).result
      const { taskId } = await call('tools/call', asked)
      decide(decision, 'As agreed.')
      const withdrawal = { name: 'withdraw_approval', arguments: { reviewCaseId: taskId } }
      const told = JSON.stringify(await call('tools/call', withdrawal))
      assert.match(told, /decision_not_signed/)
      assert.doesNotMatch(told, /As agreed|"decision"/)
      fault = null
      const known = (await call('tools/call', withdrawal)).structuredContent
      assert.deepEqual([known.decision, known.approved], [decision, false])
      // Once it is withdrawn, the service tells another.
      change({ state: 'open', decision: null, continuation: null })
      const other = { checkpoint: { checkpointId: 'other' } } as Partial<CaseAnswer>
      reviewCases.cancel = async () => change({ ...other, state: 'cancelled' })
      assert.match(JSON.stringify(await call('tools/call', withdrawal)), /no such request/)
    }
  })

  it('tells of a case that pinned reviewers signed for what was asked alone, whatever it shows', async () => {
    const secret = '0123456789abcdef0123456789abcdef'
    for (const key of ['k', undefined]) {
      const { client, decide, review, change } = oneCase()
      // What the case shows, a pinned reviewer has signed: the service may tell another case of theirs.
      const reviewers = { faultOf: async () => null }
      const options = { sessionId: 's', reviewers }
      const handler = (given: Partial<ApprovalServerOptions> = {}) =>
        createMcpHandler(() => approvalServer(client, { ...options, ...given }))
      const call = async (method: string, params: Record<string, unknown>, given = handler()) =>
        post((request) => given.fetch(request), method, params)
      const asked = { action: 'deploy', arguments: { to: 'test' }, why: 'Release 7' }
      const asking = { name: 'ask_for_approval', arguments: { ...asked, ...(key && { key }) } }
      const { result } = await call('tools/call', asking)
      const { taskId } = result
      const check = (id: string, given?: ReturnType<typeof handler>) =>
        call('tools/call', { name: 'check_approval', arguments: { reviewCaseId: id } }, given)
      const told = review()
      decide('approved')
      const action = { tool: 'deploy', arguments: { to: 'production' } }
      const shown = { ...(told.presentation as object) }
      const others: Partial<CaseAnswer>[] = [
        { presentation: { ...shown, action } },
        { presentation: { ...shown, summary: 'Release 8' } },
        { reviewCaseId: 'rc_2' },
        { checkpoint: { ...told.checkpoint, checkpointId: 'deploy:other:in-asked' } },
      ]
      for (const other of others) {
        change(other)
        const answers = [await check(taskId), await call('tasks/get', { taskId })]
        const withdrawal = { name: 'withdraw_approval', arguments: { reviewCaseId: taskId } }
        answers.push(await call('tools/call', withdrawal))
        for (const answer of answers) assert.match(JSON.stringify(answer), /no such/)
        const { presentation, reviewCaseId, checkpoint } = told
        change({ presentation, reviewCaseId, checkpoint })
      }
      // Nor is a case found by its own id, or by that of a process with another secret.
      for (const id of [told.reviewCaseId, `${told.reviewCaseId}.`, `${taskId}x`])
        assert.match(JSON.stringify(await check(id)), /no such/)
      const foreign = await check(taskId, handler({ secret }))
      assert.match(JSON.stringify(foreign), /no such/)
      assert.equal(review().continuation, null)
      const given = { ...asking, arguments: { ...asking.arguments } }
      const same = (await call('tools/call', given, handler({ secret }))).result.structuredContent
      assert.deepEqual([same.approved, same.spent], [true, false])
      const again = (await check(same.reviewCaseId, handler({ secret }))).result
      assert.deepEqual(
        [again.structuredContent.approved, again.structuredContent.spent],
        [true, true],
      )
    }
  })

  it('tells a task of an approval where the client reads it', async () => {
    const { client, decide, change } = oneCase()
    const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
    const call = async (method: string, params: Record<string, unknown>) =>
      (await post((request) => handler.fetch(request), method, params)).result
    await call('tools/call', asked)
    change({ followUps: [{ question: 'Where?', answer: null }] } as unknown as Partial<CaseAnswer>)
    const { status, inputRequests } = await call('tools/call', asked)
    assert.deepEqual([status, inputRequests], ['input_required', undefined])
    decide('approved')
    const { taskId, structuredContent, ...told } = await call('tools/call', asked)
    // A client takes no result from the creation of a task.
    assert.deepEqual([taskId, told.result], [undefined, undefined])
    assert.deepEqual([structuredContent.approved, structuredContent.spent], [true, false])
  })

  it('keeps the approval of a task whose poll was left', async () => {
    const { client, reviewCases, decide, review } = oneCase()
    const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
    const handle = (request: Request) => handler.fetch(request)
    const { taskId } = (await post(handle, 'tools/call', asked)).result
    decide('approved')
    const left = new AbortController()
    const { read } = reviewCases
    reviewCases.read = async () => {
      left.abort()
      return read()
    }
    await post((request) => handle(new Request(request, { signal: left.signal })), 'tasks/get', {
      taskId,
    }).catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(review().continuation, null)
    reviewCases.read = read
    const { result } = (await post(handle, 'tasks/get', { taskId })).result
    assert.deepEqual(
      [result.structuredContent.approved, result.structuredContent.spent],
      [true, false],
    )
  })

  it('tells an approval that was claimed for who left to who asks next, unless it is withdrawn', async () => {
    for (const next of ['ask', 'check', 'withdraw'] as const) {
      const { client, reviewCases, decide, review } = oneCase()
      const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
      const handle = (request: Request) => handler.fetch(request)
      const byContent = { name: 'ask_for_approval', arguments: { action: 'deploy' } }
      const { taskId } = (await post(handle, 'tools/call', byContent)).result
      decide('approved')
      const left = new AbortController()
      const { reportContinuation } = reviewCases
      let isClaimed = () => {}
      const claimed = new Promise<void>((resolve) => {
        isClaimed = resolve
      })
      reviewCases.reportContinuation = async (report) => {
        left.abort()
        await new Promise((resolve) => setImmediate(resolve))
        setImmediate(isClaimed)
        return reportContinuation(report)
      }
      const gone = (request: Request) => handle(new Request(request, { signal: left.signal }))
      await post(gone, 'tasks/get', { taskId }).catch(() => {})
      await claimed
      reviewCases.reportContinuation = reportContinuation
      assert.equal(review().continuation?.outcome, 'resumed')
      const named = { arguments: { reviewCaseId: taskId } }
      if (next === 'withdraw')
        await post(handle, 'tools/call', { name: 'withdraw_approval', ...named }, { tasks: false })
      const asking = next === 'ask' ? byContent : { name: 'check_approval', ...named }
      const told = async () =>
        (await post(handle, 'tools/call', asking, { tasks: false })).result.structuredContent
      if (next !== 'withdraw') assert.deepEqual((await told()).spent, false, next)
      if (next !== 'ask') assert.deepEqual((await told()).spent, true, next)
    }
  })

  it('tells no agent what the service met, and waits on meanwhile', async () => {
    const { client, reviewCases, decide } = oneCase()
    const problems: string[] = []
    const options = { sessionId: 's', pollMs: 1, onProblem: (text: string) => problems.push(text) }
    const handler = createMcpHandler(() => approvalServer(client, options))
    const call = (method: string, params: Record<string, unknown>, tasks = false) =>
      post((request) => handler.fetch(request), method, params, { tasks })
    const { taskId } = (await call('tools/call', asked, true)).result
    const { read } = reviewCases
    const away = async () => {
      throw new ApiError('no_answer', 'https://ingest.internal is away', {})
    }
    reviewCases.read = () => {
      reviewCases.read = read
      decide('approved')
      return away()
    }
    const { result } = await call('tools/call', asked)
    assert.equal(result.structuredContent?.approved, true)
    reviewCases.read = away
    const name = 'check_approval'
    const answers = [
      await call('tools/call', { name, arguments: { reviewCaseId: taskId } }),
      await call('tasks/get', { taskId }, true),
    ]
    for (const answer of answers) {
      assert.doesNotMatch(JSON.stringify(answer), /internal/)
      assert.match(JSON.stringify(answer), /could not be asked/)
    }
    assert.match(problems.join(), /internal/)
  })

  it('tells of no case that holds a tool back, whatever id its call has', async () => {
    const { client, decide, review } = oneCase()
    const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
    const held = { sessionId: 's', callId: 'asked:k', name: 'deploy', input: {} }
    await createReviews(client, { tools: {} }).check(held)
    decide('approved')
    const { result } = await post((request) => handler.fetch(request), 'tools/call', asked)
    assert.equal(result.isError, true)
    assert.equal(review().continuation, null)
  })

  it('approves no call that is held back, whatever id that has', async () => {
    const { client, decide, review } = oneCase()
    const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
    await post((request) => handler.fetch(request), 'tools/call', asked)
    decide('approved')
    const { checkpointId } = review().checkpoint
    for (const callId of ['k', 'asked:k', checkpointId, checkpointId.slice('deploy:'.length)]) {
      const held = { sessionId: 's', callId, name: 'deploy', input: {} }
      const reviews = createReviews(client, { tools: {}, unasked: 'deny' })
      await assert.rejects(
        reviews.run(held, () => assert.fail('ran')),
        NotRun,
      )
    }
    assert.equal(review().continuation, null)
  })

  it('tells of no approval past the deadline of its request, and spends none', async () => {
    const { client, decide, review, change } = oneCase()
    const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
    const call = async (method: string, params: Record<string, unknown>, tasks = true) =>
      (await post((request) => handler.fetch(request), method, params, { tasks })).result
    const { taskId } = await call('tools/call', asked)
    decide('approved')
    change({ expiresAt: '2020-01-01T00:00:00.000Z' })
    const name = 'check_approval'
    const answers = [
      await call('tools/call', { name, arguments: { reviewCaseId: taskId } }, false),
      await call('tools/call', asked, false),
      (await call('tasks/get', { taskId })).result,
    ]
    for (const { structuredContent, content } of answers) {
      assert.equal(structuredContent.approved, false)
      assert.match(JSON.stringify(content), /before its deadline/)
    }
    assert.equal(review().continuation, null)
  })

  it('takes back an approval that is withdrawn, and tells nobody of it', async () => {
    for (const byTask of [false, true]) {
      const { client, decide, review, reviewCases } = oneCase()
      const { cancel } = reviewCases
      const handler = createMcpHandler(() => approvalServer(client, { sessionId: 's' }))
      const call = async (method: string, params: Record<string, unknown>, tasks = byTask) =>
        (await post((request) => handler.fetch(request), method, params, { tasks })).result
      await call('tools/call', asked, true)
      // Approved while it is being withdrawn.
      reviewCases.cancel = async () => {
        decide('approved')
        return cancel()
      }
      const { reviewCaseId } = review()
      const told = byTask
        ? await call('tasks/cancel', { taskId: reviewCaseId })
        : await call('tools/call', { name: 'withdraw_approval', arguments: { reviewCaseId } })
      assert.doesNotMatch(JSON.stringify(told), /"approved":true/)
      assert.equal(review().continuation?.outcome, 'terminated')
      const again = await call('tools/call', asked, false)
      assert.equal(again.structuredContent.approved, false)
      assert.match(JSON.stringify(again.content), /withdrawn/)
    }
  })

  it('is not made with reviewers that can check nothing', () => {
    const { client } = oneCase()
    for (const reviewers of [null, undefined, {}]) {
      const options = { sessionId: 's', reviewers } as unknown as ApprovalServerOptions
      assert.throws(() => approvalServer(client, options), /expected reviewers as pinReviewers/)
    }
  })

  it('claims nothing for a client that left', async () => {
    const { client, reviewCases, decide, review } = oneCase()
    const server = approvalServer(client, { sessionId: 's', pollMs: 1 })
    const [here, there] = InMemoryTransport.createLinkedPair()
    await server.connect(there)
    const older = new OlderClient({ name: 'test', version: '1.0.0' })
    // The two SDKs declare one protocol's transport each.
    await older.connect(here as unknown as Transport)
    const left = new AbortController()
    let isRead = () => {}
    const read = new Promise<void>((resolve) => {
      isRead = resolve
    })
    reviewCases.read = async () => {
      left.abort()
      // The cancellation is on its way to the server.
      await new Promise((resolve) => setImmediate(resolve))
      decide('approved')
      setImmediate(() => setImmediate(isRead))
      return review()
    }
    const waiting = older.callTool(asked, undefined, { signal: left.signal })
    await assert.rejects(waiting)
    await read
    assert.deepEqual([review().decision, review().continuation], ['approved', null])
    await older.close()
  })
})
