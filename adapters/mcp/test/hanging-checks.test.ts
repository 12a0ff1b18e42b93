import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createReviews } from '@countersign/agents'
import type { SignatureCheck } from '@countersign/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { approvalServer } from '../approval-server.ts'
import { createCaseTasks } from '../case-tasks.ts'
import { createGateway } from '../gateway.ts'
import type { RpcMessage } from '../rpc-messages.ts'
import { oneCase } from './one-case.ts'
import { post } from './post.ts'

/** A check of signatures which all pass, but for those that never end. */
function checking() {
  let hangs = (_: number) => false
  let checks = 0
  const reviewers: SignatureCheck = {
    faultOf: () => (hangs(++checks) ? new Promise(() => {}) : Promise.resolve(null)),
  }
  const hang = (which: (nth: number) => boolean) => {
    checks = 0
    hangs = which
  }
  return { reviewers, hang }
}

/** What work comes to within 10 s of the clock. */
async function within10s<T>(t: TestContext, work: Promise<T>): Promise<T | 'no answer'> {
  const patience = async () => {
    for (let nth = 0; nth < 50; nth++) {
      for (const _ of [1, 2, 3, 4]) await setImmediate()
      t.mock.timers.tick(200)
    }
    return 'no answer' as const
  }
  return Promise.race([work, patience()])
}

const secret = 'a secret of at least 32 characters'
const nth = [1, 2, 3]
const asked = { name: 'ask_for_approval', arguments: { action: 'pay', key: 'k' } }

/** The tools to ask with, of an approved request whose decision is checked. */
async function askedFor(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { client, decide, review } = oneCase()
  const { reviewers, hang } = checking()
  const handler = createMcpHandler(() =>
    approvalServer(client, { sessionId: 's', reviewers, secret, waitMs: 300 }),
  )
  const call = async (method: string, params: Record<string, unknown>, tasks = false) => {
    const handle = (request: Request) => handler.fetch(request)
    const answer = await within10s(t, post(handle, method, params, { tasks }))
    return answer === 'no answer' ? answer : (answer.result ?? answer.error)
  }
  const { taskId } = await call('tools/call', asked, true)
  decide('approved')
  const tool = (name: string) => call('tools/call', { name, arguments: { reviewCaseId: taskId } })
  return { call, tool, taskId, review, hang }
}

describe('a check of signatures that never ends', () => {
  for (const which of nth) {
    const isNth = (each: number) => each === which
    it(`holds no request that is asked anew, nor its approval (check ${which})`, async (t) => {
      const { call, tool, hang } = await askedFor(t)
      hang(isNth)
      const { structuredContent, content } = await call('tools/call', asked)
      const text = content[0].text
      assert.ok(structuredContent?.approved ?? /again later/.test(text), text)
      hang(() => false)
      const next = (await tool('check_approval')).structuredContent
      assert.deepEqual([next.approved, next.spent], [true, structuredContent !== undefined])
    })

    it(`holds no request that is looked at, nor its approval (check ${which})`, async (t) => {
      for (const look of ['check_approval', 'tasks/get']) {
        const { call, tool, taskId, hang } = await askedFor(t)
        hang(isNth)
        const told = look === 'tasks/get' ? await call(look, { taskId }, true) : await tool(look)
        const first = told.structuredContent ?? told.result?.structuredContent
        assert.ok(
          first?.approved ?? (told.status === 'working' || /again/.test(JSON.stringify(told))),
        )
        hang(() => false)
        const next = (await tool('check_approval')).structuredContent
        assert.deepEqual([next.approved, next.spent], [true, first !== undefined])
        t.mock.timers.reset()
      }
    })
  }

  it('holds no request whose client leaves', async (t) => {
    const { hang } = await askedFor(t)
    hang(() => true)
    const { client, decide } = oneCase()
    const { reviewers, hang: hold } = checking()
    const handler = createMcpHandler(() =>
      approvalServer(client, { sessionId: 's', reviewers, secret, waitMs: 30_000 }),
    )
    const left = new AbortController()
    const handle = (request: Request) =>
      handler.fetch(new Request(request, { signal: left.signal }))
    const { result } = await post(handle, 'tools/call', asked)
    decide('approved')
    hold(() => true)
    const check = { name: 'check_approval', arguments: { reviewCaseId: result.taskId } }
    const looked = post(handle, 'tools/call', check, { tasks: false }).catch(() => 'left')
    for (const _ of nth) await setImmediate()
    left.abort(new Error('left'))
    assert.notEqual(await within10s(t, looked), 'no answer')
  })

  it('holds no request that is withdrawn', async (t) => {
    for (const by of ['withdraw_approval', 'tasks/cancel']) {
      const { call, tool, taskId, review, hang } = await askedFor(t)
      hang(() => true)
      const told = by === 'tasks/cancel' ? await call(by, { taskId }, true) : await tool(by)
      assert.notEqual(told, 'no answer')
      assert.doesNotMatch(JSON.stringify(told), /"approved":true/)
      assert.equal(review().continuation?.outcome, 'terminated')
      t.mock.timers.reset()
    }
  })

  it('holds no task of a call, nor its approval', async (t) => {
    for (const which of nth) {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const { client, decide, review } = oneCase()
      const { reviewers, hang } = checking()
      const reviews = createReviews(client, { tools: {}, identify: 'content', reviewers })
      const tasks = createCaseTasks({ client, reviews, sessionId: 's', secret, results: new Map() })
      const call = { sessionId: 's', callId: '', name: 'pay', input: { amount: 5 } }
      const { taskId } = await tasks.start(call)
      decide('approved')
      let runs = 0
      const poll = () => tasks.get(String(taskId), async () => ({ content: [], runs: ++runs }))
      hang((each) => each === which)
      const told = await within10s(t, poll())
      assert.deepEqual([Object(told).status, runs], ['working', 0], String(told))
      hang(() => true)
      const again = await within10s(t, tasks.start(call))
      assert.match(JSON.stringify(again), /again later/)
      hang(() => false)
      assert.deepEqual([(await within10s(t, poll())) !== 'no answer', runs], [true, 1])
      assert.equal(review().continuation?.outcome, 'resumed')
      t.mock.timers.reset()
    }
  })

  it('holds no task that is cancelled, after another process took its approval', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { client, decide, change } = oneCase()
    const { reviewers, hang } = checking()
    const reviews = createReviews(client, { tools: {}, identify: 'content', reviewers })
    const tasks = createCaseTasks({ client, reviews, sessionId: 's', secret, results: new Map() })
    const call = { sessionId: 's', callId: '', name: 'pay', input: { amount: 5 } }
    const { taskId } = await tasks.start(call)
    decide('approved')
    change({ continuation: { outcome: 'resumed', detail: 'run-1', reportedAt: '' } })
    hang(() => true)
    const told = await within10s(
      t,
      tasks.cancel(String(taskId)).catch((error: unknown) => String(error)),
    )
    assert.match(String(told), /in time/)
  })

  it('holds no call of a gateway, nor its approval', async (t) => {
    for (const which of nth) {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const { client, reviewCases, decide } = oneCase()
      const { reviewers, hang } = checking()
      const { open } = reviewCases
      reviewCases.open = async (given) => {
        await open(given)
        decide('approved')
        return reviewCases.read()
      }
      const reviews = createReviews(
        { reviewCases: { ...reviewCases, request: reviewCases.open } } as unknown as typeof client,
        { tools: {}, identify: 'content', reviewers },
      )
      const [sent, told]: [RpcMessage[], RpcMessage[]] = [[], []]
      const gateway = createGateway({
        ...{ reviews, sessionId: 's', run: [], waitMs: 300 },
        toServer: (message) => void sent.push(message),
        toClient: (message) => void told.push(message),
      })
      const call = (id: number) => {
        const params = { name: 'pay', arguments: { amount: 5 } }
        return gateway.fromClient({ jsonrpc: '2.0', id, method: 'tools/call', params })
      }
      hang((each) => each === which)
      assert.notEqual(await within10s(t, call(1)), 'no answer', `check ${which}`)
      assert.equal(sent.length, 0)
      assert.match(JSON.stringify(told), /same call again later/)
      hang(() => false)
      await within10s(t, call(2))
      assert.deepEqual(
        sent.map(({ id }) => id),
        [2],
      )
      t.mock.timers.reset()
    }
  })
})
