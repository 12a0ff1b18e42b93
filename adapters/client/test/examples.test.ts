import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@countersign/client'
import { MemorySaver } from '@langchain/langgraph'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { MockLanguageModelV3 } from 'ai/test'
import { runAgent } from '../examples/ai-sdk.ts'
import { guardedPay } from '../examples/guarded-function.ts'
import { paymentGraph, runGraph } from '../examples/langgraph.ts'
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
  let opened = () => {}
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
      ) => request(asked, { pollMs: [20, 100], onOpen: () => opened(), ...options }),
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
    const text = await runAgent(client, { model, sessionId: 'agent', prompt: 'Pay both.', pay })
    assert.equal(text, 'done')
    assert.deepEqual(paid.splice(0), ['a-1'])
    const told = JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
    assert.ok(told.includes('receipt of a-1') && told.includes('rejected'), told)
  })

  it('a graph of LangGraph goes on where it stopped, or ends', async () => {
    const graph = paymentGraph(pay, new MemorySaver())
    const receipt = (threadId: string, payment: Payment) =>
      runGraph(client, graph, { threadId, payment })
    assert.equal(await receipt('thread-1', order('g-1', 800)), 'receipt of g-1')
    assert.equal(await receipt('thread-2', order('g-2', 8_000)), null)
    assert.deepEqual(paid.splice(0), ['g-1'])
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
      [true, [{ type: 'text', text: 'not paid: rejected' }]],
    )
    const left = new AbortController()
    const open = new Promise<void>((resolve) => {
      opened = resolve
    })
    const waiting = transfer(order('m-3', 0), left.signal)
    const asked = {
      sessionId: 'mcp',
      checkpointId: 'transfer-m-3',
      reasonCategory: 'high_risk_action',
      presentation: { tool: 'transfer', ...order('m-3', 0) },
    } as const
    await open
    left.abort('enough')
    await assert.rejects(waiting)
    // The same request, made once more to see what became of the case.
    assert.equal((await client.reviewCases.request(asked)).decision, 'cancelled')
    assert.deepEqual(paid.splice(0), ['m-1'])
    await caller.close()
  })
})
