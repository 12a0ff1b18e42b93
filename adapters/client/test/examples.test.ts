import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CaseAnswer, type Client, createClient } from '@countersign/client'
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { ModelMessage } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { runAgent } from '../examples/ai-sdk.ts'
import { guardedPay } from '../examples/guarded-function.ts'
import { answersTo, paymentGraph, runGraph } from '../examples/langgraph.ts'
import { paymentServer } from '../examples/mcp-server.ts'
import type { Payment } from '../examples/payment.ts'

const program = fileURLToPath(
  new URL('../../../../reference-server/dist/test/processes/reviewed-server.js', import.meta.url),
)

/** A reviewer approves up to 1,000, and leaves 0 alone. */
const order = (orderId: string, amount: number): Payment => ({ orderId, to: 'ACME GmbH', amount })

describe('the examples, against the reference server', () => {
  let server: ChildProcess
  let client: Client
  const paid: string[] = []
  let opened: (review: CaseAnswer) => void = () => {}
  const pay = async ({ orderId }: Payment) => {
    paid.push(orderId)
    return `receipt of ${orderId}`
  }

  before(async () => {
    server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const told = await new Promise<string>((resolve, reject) => {
      server.stdout?.once('data', (line: Buffer) => resolve(line.toString()))
      server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    })
    client = createClient(JSON.parse(told))
    // As an application that has no reviewer to wait for would poll.
    const { request } = client.reviewCases
    const reviewCases = {
      ...client.reviewCases,
      request: (
        asked: Parameters<typeof request>[0],
        options: Parameters<typeof request>[1] = {},
      ) => request(asked, { pollMs: [20, 100], onOpen: (review) => opened(review), ...options }),
    }
    client = { ...client, reviewCases }
  })
  after(() => {
    server.stdin?.end()
  })

  it('a plain function pays what was approved, and throws for the rest', async () => {
    const guarded = guardedPay(client, 'plain', pay)
    assert.equal(await guarded(order('p-1', 900)), 'receipt of p-1')
    await assert.rejects(guarded(order('p-2', 1_900)), /p-2 was rejected/)
    assert.deepEqual(paid.splice(0), ['p-1'])
  })

  it('an agent of the AI SDK makes the calls that were approved', async () => {
    const call = (input: Payment) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${input.orderId}`,
      toolName: 'transfer',
      input: JSON.stringify(input),
    })
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    }
    let turn = 0
    const model = new MockLanguageModelV3({
      doGenerate: async () =>
        turn++ === 0
          ? {
              content: [call(order('a-1', 500)), call(order('a-2', 5_000))],
              finishReason: { unified: 'tool-calls', raw: undefined },
              usage,
              warnings: [],
            }
          : {
              content: [{ type: 'text', text: 'done' }],
              finishReason: { unified: 'stop', raw: undefined },
              usage,
              warnings: [],
            },
    })
    const prompt: ModelMessage = { role: 'user', content: 'Pay both.' }
    let kept: readonly ModelMessage[] = [prompt]
    const run = (save: (messages: readonly ModelMessage[]) => void) =>
      runAgent(
        client,
        model,
        {
          sessionId: 'agent',
          messages: [...kept],
          save: async (messages) => {
            kept = structuredClone(messages)
            save(messages)
          },
        },
        pay,
      )
    const ended = run(() => {
      throw new Error('the process ended')
    })
    await assert.rejects(ended, /the process ended/)
    assert.equal(await run(() => {}), 'done')
    assert.deepEqual(paid.splice(0), ['a-1'])
    const told = JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
    assert.ok(told.includes('receipt of a-1') && told.includes('rejected: Above 1,000.'), told)
    assert.equal(model.doGenerateCalls.length, 2)
  })

  it('a graph of LangGraph goes on where it stopped, or ends', async () => {
    const graph = paymentGraph(pay, new MemorySaver())
    const receipt = (threadId: string, payment: Payment) =>
      runGraph(client, graph, { threadId, payment })
    assert.equal(await receipt('thread-1', order('g-1', 800)), 'receipt of g-1')
    assert.equal(await receipt('thread-2', order('g-2', 8_000)), null)
    assert.deepEqual(paid.splice(0), ['g-1'])
  })

  it('a graph that is run again, as after a restart, finds its case', async () => {
    const saver = new MemorySaver()
    const asked: string[] = []
    const run = (heard: () => void) => {
      opened = heard
      const reviewCases = {
        ...client.reviewCases,
        request: (...[request, options]: Parameters<typeof client.reviewCases.request>) => {
          asked.push(request.checkpointId)
          return client.reviewCases.request(request, options)
        },
      }
      const graph = paymentGraph(pay, saver)
      const payment = order('g-3', 700)
      return runGraph({ ...client, reviewCases }, graph, { threadId: 'thread-3', payment })
    }
    const ended = run(() => {
      throw new Error('the process ended')
    })
    await assert.rejects(ended, /the process ended/)
    assert.equal(await run(() => {}), 'receipt of g-3')
    assert.equal(new Set(asked).size, 1, 'another case for the same payment')
    assert.equal(await run(() => {}), 'receipt of g-3')
    assert.deepEqual(paid.splice(0), ['g-3'])
  })

  it('each of the interrupts of a graph has the answer to itself', async () => {
    const State = Annotation.Root({ x: Annotation<boolean>, y: Annotation<boolean> })
    const approved = (amount: number): boolean => interrupt({ amount }).approved
    const graph = new StateGraph(State)
      .addNode('small', () => ({ x: approved(1) }))
      .addNode('large', () => ({ y: approved(1_000_000) }))
      .addEdge(START, 'small')
      .addEdge(START, 'large')
      .compile({ checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 'parallel' } }
    await graph.invoke({}, config)
    const { tasks } = await graph.getState(config)
    const resume = await answersTo(client, 'parallel', tasks)
    const { x, y } = await graph.invoke(new Command({ resume }), config)
    assert.deepEqual({ x, y }, { x: true, y: false })
  })

  it('a tool of an MCP server pays what was approved, and its caller may give up', async () => {
    const [here, there] = InMemoryTransport.createLinkedPair()
    await paymentServer(client, 'mcp', pay).connect(there)
    const caller = new McpClient({ name: 'test', version: '1.0.0' })
    await caller.connect(here)
    const transfer = (payment: Payment, signal?: AbortSignal) =>
      caller.callTool({ name: 'transfer', arguments: payment }, undefined, signal ? { signal } : {})
    const well = await transfer(order('m-1', 700))
    assert.deepEqual(well.content, [{ type: 'text', text: 'receipt of m-1' }])
    const refused = await transfer(order('m-2', 7_000))
    assert.deepEqual(
      [refused.isError, refused.content],
      [true, [{ type: 'text', text: 'not paid: Above 1,000.' }]],
    )
    const left = new AbortController()
    const open = new Promise<string>((resolve) => {
      opened = ({ reviewCaseId }) => resolve(reviewCaseId)
    })
    const waiting = transfer(order('m-3', 0), left.signal)
    const reviewCaseId = await open
    left.abort('enough')
    await assert.rejects(waiting)
    const { state } = await client.reviewCases.read({ reviewCaseId })
    assert.equal(state, 'open')
    // Asked for again, it is the same case.
    const again = new Promise<string>((resolve) => {
      opened = ({ reviewCaseId: found }) => resolve(found)
    })
    const waitingAgain = transfer(order('m-3', 0))
    assert.equal(await again, reviewCaseId)
    await client.reviewCases.cancel({ reviewCaseId, reasonCategory: 'end_user_cancelled' })
    assert.deepEqual((await waitingAgain).content, [{ type: 'text', text: 'not paid: cancelled' }])
    assert.deepEqual(paid.splice(0), ['m-1'])
    await caller.close()
  })

  it('an argument stands for nothing but itself', async () => {
    const shown: unknown[] = []
    const reviewCases = {
      ...client.reviewCases,
      request: (...[request, options]: Parameters<typeof client.reviewCases.request>) => {
        shown.push(request.presentation)
        return client.reviewCases.request(request, options)
      },
    }
    const named = { ...order('n-1', 1), tool: 'nothing', action: 'none' }
    await guardedPay({ ...client, reviewCases }, 'named', pay)(named)
    assert.deepEqual(shown, [{ action: { tool: 'pay', arguments: named } }])
    paid.splice(0)
  })
})
