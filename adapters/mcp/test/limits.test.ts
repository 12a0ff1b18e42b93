import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CallVerdict, createReviews, type Reviews } from '@countersign/agents'
import type { ActOn, CaseTasks } from '../case-tasks.ts'
import { createCaseTasks } from '../case-tasks.ts'
import { createGateway } from '../gateway.ts'
import { approvalHandler } from '../http.ts'
import type { RpcMessage } from '../rpc-messages.ts'
import { oneCase } from './one-case.ts'
import { post } from './post.ts'

/** Lists in each other. */
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

/** A gateway whose reviewer approves all; what it sends, as it is written. */
function opened(tasks?: CaseTasks) {
  const [toServer, toClient]: [string[], string[]] = [[], []]
  let spent = 0
  const verdict = { approved: true, reason: 'Approved.' } as CallVerdict
  const reviews: Pick<Reviews, 'ask' | 'spend'> = {
    ask: async () => verdict,
    async spend() {
      spent++
      return verdict
    },
  }
  const gateway = createGateway({
    reviews: reviews as Reviews,
    sessionId: 's',
    run: ['free'],
    waitMs: 1_000,
    ...(tasks && { tasks }),
    toServer: (message) => void toServer.push(JSON.stringify(message)),
    toClient: (message) => void toClient.push(JSON.stringify(message)),
  })
  return { ...gateway, toServer, toClient, spent: () => spent }
}

const request = (method: string, params: object): RpcMessage => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})
const tooDeep = /"id":1,"error":.*at most 512 levels/

describe('messages of many levels', () => {
  it("of the client's are answered with an error, and nothing is sent or spent for them", async () => {
    // By the last, what is read can be copied and can not be written.
    for (const levels of [600, 2_400, 2_700, 3_000]) {
      const deep = nested(levels)
      for (const params of [
        { name: 'free', arguments: { deep } },
        { name: 'pay', arguments: {}, _meta: { deep } },
      ]) {
        const { fromClient, toServer, toClient, spent } = opened()
        await fromClient(request('tools/call', params))
        assert.deepEqual([toServer.length, spent()], [0, 0])
        assert.match(toClient.join(), tooDeep)
      }
    }
  })

  it('that can not be written for another reason are answered too, and nothing is spent', async () => {
    const { fromClient, toServer, toClient, spent } = opened()
    await fromClient(request('tools/call', { name: 'pay', arguments: {}, _meta: { big: 1n } }))
    assert.deepEqual([toServer.length, toClient.length, spent()], [0, 1, 0])
  })

  it('pass up to 500 levels, from either side', async () => {
    const { fromClient, fromServer, toServer } = opened()
    await fromClient(request('tools/call', { name: 'free', arguments: { deep: nested(500) } }))
    assert.equal(toServer.length, 1)
    assert.equal(fromServer({ jsonrpc: '2.0', id: 1, result: nested(500) }), false)
  })

  it("of the server's are answered with an error to who waits", () => {
    const { fromServer, toServer, toClient } = opened()
    const deep = nested(600)
    assert.equal(fromServer({ jsonrpc: '2.0', id: 1, result: { deep } }), true)
    assert.match(toClient.splice(0).join(), tooDeep)
    assert.equal(fromServer(request('sampling/createMessage', { deep })), true)
    assert.match(toServer.join(), tooDeep)
    assert.equal(fromServer({ jsonrpc: '2.0', method: 'notifications/x', params: { deep } }), true)
    assert.deepEqual(toClient, [])
  })

  it("are refused as the result of a task's call", async () => {
    const withoutCase = { reviewCaseId: null, presentationDigest: null }
    const tasks = {
      get: async (_: string, act: ActOn) => act({ tool: 'pay', arguments: {} }, withoutCase),
    } as unknown as CaseTasks
    const { fromClient, fromServer, toServer, toClient } = opened(tasks)
    const asking = fromClient(request('tasks/get', { taskId: `rc_${'0'.repeat(26)}.m` }))
    const { id } = JSON.parse(toServer[0] ?? assert.fail('nothing was sent'))
    assert.equal(fromServer({ jsonrpc: '2.0', id, result: { content: [nested(600)] } }), true)
    await asking
    assert.match(
      toClient.join(),
      /at most 512 levels.*"isError":true|"isError":true.*at most 512 levels/,
    )
    assert.equal(toClient.length, 1)
  })
})

describe('a task of many levels', () => {
  /** A task whose case is approved. */
  function tasksOf() {
    const { client, decide } = oneCase()
    const reviews = createReviews(client, { tools: {}, others: 'ask', identify: 'content' })
    const secret = 'a secret of at least 32 characters'
    const tasks = createCaseTasks({ client, reviews, sessionId: 's', secret, results: new Map() })
    const start = (input: unknown) =>
      tasks.start({ sessionId: 's', callId: '', name: 'pay', input })
    return { tasks, start, decide }
  }

  it('is no task where its arguments have them', async () => {
    const { start } = tasksOf()
    for (const levels of [600, 2_700, 3_000]) {
      const { isError, content } = await start({ deep: nested(levels) })
      assert.deepEqual([isError, /at most 512 levels/.test(JSON.stringify(content))], [true, true])
    }
  })

  it('is none where people could not be shown all of its arguments', async () => {
    const { start } = tasksOf()
    const { isError, content } = await start({ deep: nested(64) })
    assert.deepEqual([isError, /not_json/.test(JSON.stringify(content))], [true, true])
    assert.match(String((await start({ deep: nested(60) })).taskId), /^rc_/)
  })

  it('tells no result that has them', async () => {
    const { tasks, start, decide } = tasksOf()
    const id = String((await start({ amount: 5 })).taskId)
    decide('approved')
    const told = await tasks.get(id, async () => ({
      content: [],
      structuredContent: { deep: nested(2_700) },
    }))
    assert.match(JSON.stringify(told), /at most 512 levels/)
  })
})

describe('approvalHandler', () => {
  it('refuses bodies above its bytes, of which nobody is asked', async () => {
    const { client } = oneCase()
    const given = { hosts: ['mcp.example.com'], authorize: async () => ({ sessionId: 's' }) }
    const asked = (text: string) => ({
      name: 'ask_for_approval',
      arguments: { action: 'pay', arguments: { text } },
    })
    const large = asked('x'.repeat(2 ** 18))
    assert.equal((await post(approvalHandler(client, given), 'tools/call', large)).status, 413)
    const small = approvalHandler(client, { ...given, maxBytes: 1_000 })
    assert.equal((await post(small, 'tools/call', asked('x'.repeat(1_000)))).status, 413)
    assert.equal((await post(small, 'tools/call', asked('x'))).status, 200)
  })
})
