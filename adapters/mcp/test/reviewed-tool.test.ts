import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, type Reviews, type RunContext, type ToolCall } from '@countersign/agents'
import type { Client as ServiceClient } from '@countersign/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { createReviewTasks } from '../review-tasks.ts'
import { registerReviewedTool } from '../reviewed-tool.ts'

/** Calls a tool whose reviewer approves, or changes the arguments to these; what was shown, ran and answered. */
async function played(inputSchema: z.ZodObject, given: Record<string, unknown>, edited?: unknown) {
  const shown: unknown[] = []
  const ran: unknown[] = []
  const signals: unknown[] = []
  const waiting = AbortSignal.abort()
  const context = { reviewCaseId: 'rc_1', presentationDigest: null, signal: waiting }
  const run = async (
    { input }: ToolCall,
    act: (context: RunContext, input: unknown) => unknown,
  ): Promise<unknown> => {
    const copy: unknown = structuredClone(input)
    shown.push(copy)
    return edited === undefined ? act(context, copy) : act({ ...context, edited }, edited)
  }
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  const config = { inputSchema, sessionId: 's' }
  const reviews = { run } as unknown as Reviews
  registerReviewedTool(server, reviews, 'transfer', config, async (input, { signal }) => {
    ran.push(input)
    signals.push(signal?.aborted)
    return { content: [{ type: 'text', text: 'paid' }] }
  })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = new OlderClient({ name: 'test', version: '1.0.0' })
  // The two SDKs declare one protocol's transport each.
  await client.connect(here as unknown as Transport)
  const { content } = await client.callTool({ name: 'transfer', arguments: given })
  await client.close()
  return { shown, ran, signals, text: JSON.stringify(content) }
}

const inCents = z.object({ amount: z.number().transform((amount) => amount * 100) })

describe('registerReviewedTool', () => {
  it('declares what the tool is, beside its input', async () => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' })
    const reviews = createReviews({} as ServiceClient, { tools: {} })
    const declared = {
      title: 'Pay',
      description: 'Pays',
      annotations: { destructiveHint: true },
      icons: [{ src: 'https://example.com/pay.png' }],
      _meta: { team: 'payments' },
    }
    const config = { inputSchema: z.object({}), outputSchema: z.object({ id: z.string() }) }
    const options = { ...declared, ...config, sessionId: 's' }
    registerReviewedTool(server, reviews, 'transfer', options, async () => ({ content: [] }))
    const [here, there] = InMemoryTransport.createLinkedPair()
    await server.connect(there)
    const client = new OlderClient({ name: 'test', version: '1.0.0' })
    await client.connect(here as unknown as Transport)
    const [tool] = (await client.listTools()).tools
    await client.close()
    for (const [name, value] of Object.entries(declared))
      assert.deepEqual(Reflect.get(tool ?? {}, name), value, name)
    assert.deepEqual(tool?.outputSchema?.required, ['id'])
  })

  it('runs what was shown, whatever the schema makes of a call', async () => {
    const { shown, ran } = await played(inCents, { amount: 5 })
    assert.deepEqual([shown, ran], [[{ amount: 500 }], [{ amount: 500 }]])
    const dated = z.object({ on: z.coerce.date() })
    const { ran: onDates } = await played(dated, { on: '2026-11-26' })
    assert.deepEqual(onDates, [{ on: new Date('2026-11-26') }])
  })

  it('ends no work of a tool by what ends the wait for people', async () => {
    const plain = z.object({ amount: z.number() })
    for (const edited of [undefined, { amount: 3 }])
      assert.deepEqual((await played(plain, { amount: 5 }, edited)).signals, [false])
  })

  it('runs the copy that was shown, and not what reads otherwise the next time', async () => {
    let reads = 0
    const payee = () => ({
      get name() {
        return reads++ === 0 ? 'ACME' : 'Mallory'
      },
    })
    const schema = z.object({ to: z.string().transform(payee) })
    const { shown, ran } = await played(schema, { to: 'ACME' })
    assert.deepEqual([shown, ran], [[{ to: { name: 'ACME' } }], [{ to: { name: 'ACME' } }]])
  })

  it('runs what a reviewer made of it, unless the schema makes something else of that', async () => {
    const plain = z.object({ amount: z.number().max(10) })
    assert.deepEqual((await played(plain, { amount: 5 }, { amount: 3 })).ran, [{ amount: 3 }])
    const others: [z.ZodObject, unknown][] = [
      [inCents, { amount: 300 }],
      [plain, { amount: 11 }],
      [plain, { amount: 3, to: 'ACME' }],
    ]
    for (const [schema, edited] of others) {
      const { ran, text } = await played(schema, { amount: 5 }, edited)
      assert.deepEqual(ran, [])
      assert.match(text, /not made/)
    }
  })

  it('answers within its wait, however long a policy takes', async () => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' })
    const client = {} as ServiceClient
    const when = () => new Promise<boolean>(() => {})
    const reviews = createReviews(client, { tools: { transfer: { when } }, identify: 'content' })
    const tasks = createReviewTasks(client, reviews, { secret: 'x'.repeat(32) })
    const inputSchema = z.object({ amount: z.number() })
    const config = { inputSchema, sessionId: 's', waitMs: 5 }
    const act = async () => assert.fail('ran')
    registerReviewedTool(server, reviews, 'transfer', { ...config, tasks }, act)
    const [here, there] = InMemoryTransport.createLinkedPair()
    await server.connect(there)
    const older = new OlderClient({ name: 'test', version: '1.0.0' })
    await older.connect(here as unknown as Transport)
    const { content } = await older.callTool({ name: 'transfer', arguments: { amount: 5 } })
    assert.match(JSON.stringify(content), /same call again later/)
    await older.close()
  })
})
