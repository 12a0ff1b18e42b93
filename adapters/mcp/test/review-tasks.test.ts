import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews } from '@countersign/agents'
import { ApiError } from '@countersign/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { createReviewTasks, registerReviewedTool } from '../index.ts'
import { oneCase } from './one-case.ts'
import { post } from './post.ts'

describe('createReviewTasks', () => {
  it('tells no client what the service met, and whoever runs the server of it', async () => {
    const { client, reviewCases, decide } = oneCase()
    const problems: string[] = []
    const reviews = createReviews(client, { tools: {}, identify: 'content' })
    const tasks = createReviewTasks(client, reviews, {
      secret: 'a secret of at least 32 characters',
      onProblem: (text) => problems.push(text),
    })
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'payments', version: '1.0.0' })
      const config = { inputSchema: z.object({ amount: z.number() }), sessionId: 's', tasks }
      registerReviewedTool(server, reviews, 'transfer', config, async () => ({ content: [] }))
      return server
    })
    const call = (method: string, params: Record<string, unknown>) =>
      post((request) => handler.fetch(request), method, params)
    const asked = { name: 'transfer', arguments: { amount: 5 } }
    const { taskId } = (await call('tools/call', asked)).result
    decide('approved')
    const { read } = reviewCases
    reviewCases.read = async () => {
      throw new ApiError('no_answer', 'https://ingest.internal is away', {})
    }
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await call(method, { taskId })
      assert.doesNotMatch(JSON.stringify(error), /internal/)
      assert.match(JSON.stringify(error), /could not be asked/)
    }
    assert.equal(problems.filter((text) => text.includes('internal')).length, 3)
    const { error } = await call('tasks/get', { taskId: 'none' })
    assert.match(JSON.stringify(error), /could not be asked/)
    reviewCases.read = read
    assert.match(
      JSON.stringify((await call('tasks/get', { taskId: 'none' })).error),
      /there is no such task/,
    )
    assert.equal((await call('tasks/get', { taskId })).result.status, 'completed')
  })

  it('answers within the wait of a call, however long a policy takes', async (t) => {
    const { client } = oneCase()
    const when = () => new Promise<boolean>(() => {})
    const reviews = createReviews(client, { tools: { transfer: { when } }, identify: 'content' })
    const tasks = createReviewTasks(client, reviews, { secret: 'x'.repeat(32) })
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'payments', version: '1.0.0' })
      const inputSchema = z.object({ amount: z.number() })
      const config = { inputSchema, sessionId: 's', waitMs: 5, tasks }
      registerReviewedTool(server, reviews, 'transfer', config, async () => assert.fail('ran'))
      return server
    })
    const asked = { name: 'transfer', arguments: { amount: 5 } }
    // The timer of the wait keeps no process alive.
    const alive = setTimeout(() => {}, 30_000)
    t.after(() => clearTimeout(alive))
    const { result } = await post((request) => handler.fetch(request), 'tools/call', asked)
    assert.match(JSON.stringify(result), /same call again later/)
  })

  it('calls a tool with an output schema in place, for a task has no output yet', async () => {
    const { client, decide } = oneCase()
    const reviews = createReviews(client, { tools: { transfer: {} }, identify: 'content' })
    const tasks = createReviewTasks(client, reviews, { secret: 'x'.repeat(32) })
    const run = reviews.run.bind(reviews)
    reviews.run = async (...given) => {
      await reviews.open(given[0])
      decide('approved')
      return run(...given)
    }
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'payments', version: '1.0.0' })
      const outputSchema = z.object({ id: z.string() })
      const config = { inputSchema: z.object({}), outputSchema, sessionId: 's', tasks }
      registerReviewedTool(server, reviews, 'transfer', config, async () => ({
        content: [],
        structuredContent: { id: 'p1' },
      }))
      return server
    })
    const asked = { name: 'transfer', arguments: {} }
    const { result } = await post((request) => handler.fetch(request), 'tools/call', asked)
    assert.deepEqual(result.structuredContent, { id: 'p1' })
  })
})
