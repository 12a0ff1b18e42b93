import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CallVerdict, createReviews, type Reviews, type ToolCall } from '@countersign/agents'
import type { ActOn, CaseTasks } from '../case-tasks.ts'
import { createGateway } from '../gateway.ts'
import type { RpcMessage } from '../rpc-messages.ts'
import { oneCase } from './one-case.ts'

const withoutCase = { reviewCaseId: null, presentationDigest: null }

const call = (id: unknown, name: unknown, more: object = {}): RpcMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { path: '/a' }, ...more },
})

/** A gateway with a reviewer who decides by the arguments; `decide` is asked once a call waits. */
function opened(
  decide: (asked: ToolCall) => boolean | 'never',
  waitMs = 1_000,
  tasks?: CaseTasks,
  spending: () => unknown = () => {},
) {
  const sent: RpcMessage[] = []
  const told: RpcMessage[] = []
  const problems: string[] = []
  const asked: ToolCall[] = []
  const reviews: Pick<Reviews, 'ask' | 'spend'> = {
    ask: async (each, { signal } = {}) => {
      asked.push({ ...each, input: structuredClone(each.input) })
      const approved = decide(each)
      if (approved === 'never')
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
        })
      const reason = approved ? 'Approved.' : 'Rejected by a reviewer.'
      return { approved, reason } as CallVerdict
    },
    spend: async (_, verdict) => {
      await spending()
      return verdict
    },
  }
  const gateway = createGateway({
    reviews: reviews as Reviews,
    sessionId: 's',
    run: ['read_*', 'list'],
    waitMs,
    progressMs: 10,
    ...(tasks && { tasks }),
    toServer: (message) => sent.push(message),
    toClient: (message) => told.push(message),
    onProblem: (text) => problems.push(text),
  })
  return { ...gateway, reviews, sent, told, problems, asked }
}

describe('createGateway', () => {
  it('hands on what may run, and nothing else unasked', async () => {
    const { fromClient, sent, asked } = opened(() => false)
    const free = [call(1, 'read_file'), call(2, 'list'), { jsonrpc: '2.0', id: 3, method: 'ping' }]
    for (const message of free) await fromClient(message)
    assert.deepEqual(sent, free)
    for (const name of ['write', 'lists', 'xread_a', 'Read_a', '', 'list\n'])
      await fromClient(call(4, name))
    assert.deepEqual([sent.length, asked.length], [3, 6])
  })

  it('hands on exactly what was approved', async () => {
    const { fromClient, sent, told, asked } = opened(() => true)
    const message = call(1, 'write', { _meta: { x: 1 } })
    await fromClient(message)
    assert.deepEqual([sent, told], [[message], []])
    assert.deepEqual(asked[0], { sessionId: 's', callId: '', name: 'write', input: { path: '/a' } })
  })

  it('hands on what was shown, whatever becomes of the message meanwhile', async () => {
    for (const shown of [{ path: '/a' }, undefined]) {
      const input: Record<string, unknown> = { path: '/a' }
      const params: Record<string, unknown> = { name: 'write', ...(shown && { arguments: input }) }
      const { fromClient, sent, asked } = opened(() => {
        input.path = '/etc/passwd'
        params.name = 'remove'
        params.arguments = { path: '/etc/passwd' }
        return true
      })
      await fromClient({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      assert.deepEqual(sent[0]?.params, { name: 'write', arguments: shown ?? {} })
      assert.deepEqual(asked[0]?.input, shown ?? {})
    }
  })

  it('asks anew for a call whose approval the same call spent meanwhile', async () => {
    const gateway = opened(() => true)
    const id = (nth: number) => ({ reviewCaseId: `rc_${nth}` })
    const answers = [
      { approved: false, code: 'spent', outcome: id(1) },
      { approved: true, code: 'approved', outcome: id(2) },
      { approved: false, code: 'spent', outcome: id(3), reason: 'Begun before.' },
      { approved: false, code: 'spent', outcome: id(3), reason: 'Begun before.' },
    ] as unknown as CallVerdict[]
    gateway.reviews.spend = async () => answers.shift() as CallVerdict
    await gateway.fromClient(call(1, 'write'))
    assert.deepEqual([gateway.sent.length, gateway.asked.length], [1, 2])
    // By ids, it would be the same case for ever.
    await gateway.fromClient(call(2, 'write'))
    assert.deepEqual([gateway.sent.length, gateway.asked.length], [1, 4])
    assert.match(JSON.stringify(gateway.told), /Begun before/)
  })

  it('hands on no call whose client left while its approval was spent', async () => {
    const gateway = opened(
      () => true,
      1_000,
      undefined,
      () => gateway.fromClient({ method: 'notifications/cancelled', params: { requestId: 1 } }),
    )
    await gateway.fromClient(call(1, 'write'))
    assert.deepEqual([gateway.sent, gateway.told], [[], []])
    assert.match(gateway.problems.join(), /write was spent/)
  })

  it('keeps an approval that was spent for a client that left for the same call', async () => {
    const { client, reviewCases, decide, review } = oneCase()
    const reviews = createReviews(client, { tools: {}, identify: 'content' })
    await reviews.open({ sessionId: 's', callId: '', name: 'write', input: { path: '/a' } })
    decide('approved')
    const sent: RpcMessage[] = []
    const gateway = createGateway({
      reviews,
      sessionId: 's',
      run: [],
      waitMs: 1_000,
      toServer: (message) => sent.push(message),
      toClient: () => {},
    })
    const { reportContinuation } = reviewCases
    reviewCases.reportContinuation = async (report) => {
      await gateway.fromClient({ method: 'notifications/cancelled', params: { requestId: 1 } })
      return reportContinuation(report)
    }
    await gateway.fromClient(call(1, 'write'))
    assert.deepEqual([sent, review().continuation?.outcome], [[], 'resumed'])
    reviewCases.reportContinuation = reportContinuation
    await gateway.fromClient(call(2, 'write'))
    assert.deepEqual(sent, [call(2, 'write')])
  })

  it('hands on nothing whose method is no text, which a server might read as one', async () => {
    const { fromClient, sent, problems } = opened(() => true)
    for (const method of [['tools/call'], { toString: 'tools/call' }, 5, null])
      await fromClient({ ...call(1, 'write'), method })
    assert.deepEqual([sent, problems.length], [[], 4])
  })

  it('hands on no call by a name of its method that a server of looser spelling takes', async () => {
    const { fromClient, sent, told } = opened(() => true)
    const others = ['Tools/Call', 'tools/CALL', 'tool\u017f/call', ' tools/call', 'tools/call\n']
    for (const method of others) await fromClient({ ...call(1, 'write'), method })
    assert.deepEqual([sent, told.length], [[], others.length])
    assert.ok(told.every(({ error }) => error))
  })

  it('answers for ids that no number is, and hands on nothing under the next one', async () => {
    const { fromClient, sent, told, asked, problems } = opened(() => true)
    // 2^53 + 1, as JSON.parse reads it.
    const id = JSON.parse('9007199254740993')
    for (const name of ['write', 'list']) await fromClient(call(id, name))
    await fromClient({ jsonrpc: '2.0', id: -id, result: {} })
    assert.deepEqual([sent, asked, problems.length], [[], [], 3])
    assert.deepEqual(
      told.map((each) => [each.id, Object.hasOwn(each, 'error')]),
      [
        [null, true],
        [null, true],
      ],
    )
    await fromClient(call(2 ** 53 - 1, 'list'))
    await fromClient(call('9007199254740993', 'list'))
    assert.equal(sent.length, 2)
  })

  it('hands on no members that a server of looser spelling reads as those that were looked at', async () => {
    const { fromClient, sent, told, problems } = opened(() => false)
    const { params } = call(1, 'write')
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    // Go's encoding/json takes any case, and the long s for an s.
    await fromClient({ jsonrpc: '2.0', id: 1, Method: 'tools/call', params })
    await fromClient({ ...ping, METHOD: 'tools/call', params })
    await fromClient({ ...call(1, 'list'), Params: params })
    await fromClient({ ...call(1, 'list'), param\u017f: params })
    await fromClient(JSON.parse('{"id":1,"result":{},"__proto__":{"method":"tools/call"}}'))
    const answer = { id: 1, result: {} }
    assert.deepEqual(sent, [{ ...ping, params }, call(1, 'list'), call(1, 'list'), answer])
    assert.deepEqual([told, problems.length], [[], 1])
    for (const more of [{ Name: 'write' }, { NAME: 'write' }, { argument\u017f: {} }])
      await fromClient(call(2, 'list', more))
    assert.deepEqual([sent.length, told.length], [4, 3])
    assert.ok(told.every(({ error }) => error))
  })

  it('holds back no call with parameters that its case would not show', async () => {
    const unseen = [
      { inputResponses: { pay: { action: 'accept', content: { amount: 1_000_000 } } } },
      { requestState: 'x' },
      { Arguments: { path: '/b' } },
    ]
    const known = { start: async () => ({ content: [] }) } as unknown as CaseTasks
    for (const tasks of [undefined, known]) {
      const { fromClient, sent, told, asked } = opened(() => true, 1_000, tasks)
      for (const more of unseen) await fromClient(call(1, 'write', more))
      assert.deepEqual([sent, asked, told.length], [[], [], unseen.length])
      assert.ok(told.every(({ error }) => error))
      const message = call(2, 'write', { task: { ttl: 60_000 } })
      await fromClient({ ...message, amount: 1_000_000 })
      assert.deepEqual(sent, [message])
      // Of a tool that runs unasked, all of it passes.
      await fromClient(call(3, 'list', unseen[0]))
      assert.equal(sent.length, 2)
    }
  })

  it('answers for what was rejected, or nobody decided in time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const rejected = opened(() => false)
    await rejected.fromClient(call(1, 'write'))
    const late = opened(() => 'never', 30)
    const waiting = late.fromClient(call(2, 'write', { _meta: { progressToken: 't' } }))
    t.mock.timers.tick(29)
    assert.deepEqual(
      late.told.map(({ method }) => method),
      ['notifications/progress', 'notifications/progress'],
    )
    t.mock.timers.tick(1)
    await waiting
    assert.deepEqual([rejected.sent, late.sent], [[], []])
    assert.match(JSON.stringify(rejected.told), /Rejected by a reviewer/)
    assert.match(JSON.stringify(late.told.at(-1)), /same call again later/)
    const told = late.told.length
    t.mock.timers.tick(1_000)
    assert.equal(late.told.length, told)
  })

  it('takes each message of a batch for itself, and no other JSON', async () => {
    const { fromClient, sent, told, problems } = opened(() => false)
    await fromClient([call(1, 'list'), call(2, 'write'), [call(3, 'write')], null, 5])
    await fromClient(call(4, 7))
    await fromClient(call(undefined, 'write'))
    assert.deepEqual(
      sent.map(({ id }) => id),
      [1],
    )
    assert.deepEqual(
      told.map(({ id }) => id),
      [2, 4],
    )
    assert.equal(problems.length, 4)
  })

  it('answers for its own tasks, and for no other', async () => {
    const known = `rc_${'0'.repeat(26)}.mac`
    let isAway = false
    const tasks: CaseTasks = {
      start: async () => ({ content: [] }),
      get: async (id) => {
        if (isAway) throw new Error('away')
        return id === known ? { status: 'working' } : null
      },
      update: async () => ({}),
      cancel: async () => ({}),
    }
    const { fromClient, sent, told, problems } = opened(() => false, 1_000, tasks)
    const get = (id: number, taskId: unknown) => ({ id, method: 'tasks/get', params: { taskId } })
    await fromClient(get(1, known))
    for (const [nth, other] of [`${known}x`, 'its-own', 5].entries())
      await fromClient(get(nth, other))
    isAway = true
    await fromClient(get(9, known))
    assert.deepEqual(told[0]?.result, { status: 'working' })
    assert.deepEqual([sent.length, told.length, problems.length], [3, 2, 1])
    assert.ok(told[1]?.error)
  })

  it('takes the first answer to a call of its own, and hands on no other', async () => {
    const answers: unknown[] = []
    const tasks = {
      get: async (_: string, act: ActOn) => {
        answers.push(await act({ tool: 'write', arguments: {} }, withoutCase))
        return {}
      },
    } as unknown as CaseTasks
    const { fromClient, fromServer, sent } = opened(() => false, 1_000, tasks)
    const params = { taskId: `rc_${'0'.repeat(26)}.mac` }
    const asked = fromClient({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params })
    const [{ id } = {}] = sent
    const answerOf = (text: string) => ({ jsonrpc: '2.0', id, result: { content: [{ text }] } })
    assert.ok(fromServer(answerOf('first')))
    assert.ok(fromServer(answerOf('second')))
    await asked
    assert.ok(fromServer(answerOf('third')))
    assert.deepEqual(answers, [answerOf('first').result])
    for (const other of [1, 'countersign-1', null, [id], { toString: null }])
      assert.ok(!fromServer({ ...answerOf('other'), id: other }))
    // A request of the server's, whatever its id.
    assert.ok(!fromServer({ id, method: 'sampling/createMessage' }))
  })

  it('takes answers to its own calls out of a batch, and hands on the rest', async () => {
    const tasks: Pick<CaseTasks, 'get'> = {
      get: async (_, act) => ({
        resultType: 'complete',
        result: await act({ tool: 'write', arguments: {} }, withoutCase),
      }),
    }
    const { fromClient, fromServer, sent, told } = opened(() => true, 1_000, tasks as CaseTasks)
    const params = { taskId: `rc_${'0'.repeat(26)}.m` }
    const polled = fromClient({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params })
    const { id } = sent[0] ?? {}
    const result = { content: [] }
    const others = [
      { jsonrpc: '2.0', id: 7, result: { tools: [] } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: {} },
    ]
    assert.equal(fromServer(others), false)
    assert.deepEqual(told, [])
    assert.equal(fromServer([others[0], { jsonrpc: '2.0', id, result }, others[1]]), true)
    await polled
    assert.deepEqual(told, [
      ...others,
      { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', result } },
    ])
    assert.equal(fromServer([{ jsonrpc: '2.0', id, result }]), true)
    assert.equal(told.length, 3)
  })

  it('leaves a call that its client left, and tells the server nothing of it', async () => {
    const cancelled = (requestId: number) => ({
      method: 'notifications/cancelled',
      params: { requestId },
    })
    const known = { start: async () => ({ content: [] }) } as unknown as CaseTasks
    for (const tasks of [undefined, known]) {
      const { fromClient, sent, told } = opened(() => 'never', 1_000, tasks)
      // At once, as lines of one chunk; the first is of another call, which the server has.
      await Promise.all([call(1, 'write'), cancelled(9), cancelled(1)].map(fromClient))
      assert.deepEqual([sent.length, told.length], [1, 0])
    }
  })
})
