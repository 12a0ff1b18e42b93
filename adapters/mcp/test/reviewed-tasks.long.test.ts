import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createReviews } from '@countersign/agents'
import type { Client } from '@countersign/client'
import { openWorld, type World } from '@countersign/reference-server/reviewed'
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { createReviewTasks, registerReviewedTool } from '../index.ts'
import { type Handle, post } from './post.ts'

const secret = 'a secret of at least 32 characters'

describe('reviewed tools as tasks', () => {
  let world: World
  let count = 0
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  /** A process of a server with a tool `transfer`; several share a session and what was paid. */
  function serverOf(
    sessionId: string,
    paid: number[],
    {
      key = secret,
      client = world.client,
      amount: shape = z.number(),
    }: { key?: string; client?: Client; amount?: z.ZodType<number, number> } = {},
  ): Handle {
    const reviews = createReviews(client, {
      tools: { transfer: { when: ({ input }) => JSON.stringify(input) !== '{"amount":1}' } },
      identify: 'content',
      pollMs: [20, 50],
    })
    const tasks = createReviewTasks(client, reviews, { secret: key })
    const inputSchema = z.object({ amount: shape })
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'payments', version: '1.0.0' })
      const config = { inputSchema, sessionId, waitMs: 50_000, tasks }
      registerReviewedTool(server, reviews, 'transfer', config, async ({ amount }) => {
        if (amount < 0) throw new Error('expected an amount')
        paid.push(amount)
        return { content: [{ type: 'text', text: `paid ${amount}` }] }
      })
      return server
    })
    return (request) => handler.fetch(request)
  }

  const called = async (handle: Handle, amount: number) => {
    const asked = { name: 'transfer', arguments: { amount } }
    const { result, error } = await post(handle, 'tools/call', asked)
    assert.ok(isCreateTaskResultV2(result), JSON.stringify({ result, error }))
    return result.taskId
  }

  async function told(handle: Handle, taskId: string) {
    const { result, error } = await post(handle, 'tasks/get', { taskId })
    assert.ok(isDetailedTaskV2(result), JSON.stringify({ result, error }))
    return result
  }

  async function textOf(handle: Handle, taskId: string): Promise<string> {
    const task = await told(handle, taskId)
    assert.ok(task.status === 'completed', task.status)
    return JSON.stringify(task.result.content)
  }

  it('run once what was approved, and tell it again', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const handle = serverOf(session, paid)
    const taskId = await called(handle, 5)
    assert.equal((await told(handle, taskId)).status, 'working')
    await world.decide(session, 'approved')
    for (const _ of [1, 2]) assert.match(await textOf(handle, taskId), /paid 5/)
    // Another process finds it spent, and the same call is another task.
    assert.match(await textOf(serverOf(session, paid), taskId), /not known whether/)
    assert.notEqual(await called(handle, 5), taskId)
    assert.deepEqual(paid, [5])
  })

  it('are run by whichever process is asked, once', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const taskId = await called(serverOf(session, paid), 7)
    await world.decide(session, 'approved')
    const all = [1, 2, 3].map(() => textOf(serverOf(session, paid), taskId))
    const heard = await Promise.all(all)
    assert.equal(heard.filter((text) => /paid 7/.test(text)).length, 1)
    assert.deepEqual(paid, [7])
  })

  it('tell what people asked, what they refused, and what failed', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const handle = serverOf(session, paid)
    const taskId = await called(handle, 5)
    await world.question(session, 'For what?')
    assert.equal((await told(handle, taskId)).status, 'input_required')
    const answer = { action: 'accept', content: { answer: 'An order.' } }
    await post(handle, 'tasks/update', { taskId, inputResponses: { answer } })
    assert.equal((await told(handle, taskId)).status, 'working')
    await world.decide(session, 'rejected')
    assert.match(await textOf(handle, taskId), /Rejected by a reviewer/)
    const withdrawn = await called(handle, 6)
    await post(handle, 'tasks/cancel', { taskId: withdrawn })
    assert.equal((await told(handle, withdrawn)).status, 'cancelled')
    const failing = await called(handle, -1)
    await world.decide(session, 'approved')
    assert.match(await textOf(handle, failing), /expected an amount/)
    assert.deepEqual(paid, [])
  })

  it('are not found by another id, key or session', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const handle = serverOf(session, paid)
    const taskId = await called(handle, 5)
    const other = await called(handle, 6)
    const [reviewCaseId = '', mac = ''] = taskId.split('.')
    await world.decide(session, 'approved')
    await world.decide(session, 'approved')
    const forged = [
      ...[reviewCaseId, `${reviewCaseId}.`, `${taskId}.`, `${taskId}x`, '', '.', 'x.y'],
      `${other.split('.')[0]}.${mac}`,
    ]
    for (const id of forged) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        assert.ok((await post(handle, method, { taskId: id })).error, `${method} ${id}`)
    }
    const strangers = [
      serverOf('another session', paid),
      serverOf(session, paid, { key: secret.toUpperCase() }),
    ]
    for (const stranger of strangers)
      assert.ok((await post(stranger, 'tasks/get', { taskId })).error)
    assert.deepEqual(paid, [])
  })

  it('run nothing but what was asked for, whatever the service answers', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const lie = (reviewed: Awaited<ReturnType<Client['reviewCases']['read']>>) => ({
      ...reviewed,
      presentation: { action: { tool: 'transfer', arguments: { amount: 500 } } },
    })
    const { reviewCases } = world.client
    const lying = (calls: Partial<Client['reviewCases']>) =>
      serverOf(session, paid, {
        client: { ...world.client, reviewCases: { ...reviewCases, ...calls } },
      })
    const opening = lying({ open: async (...asked) => lie(await reviewCases.open(...asked)) })
    const asked = { name: 'transfer', arguments: { amount: 5 } }
    const { result } = await post(opening, 'tools/call', asked)
    assert.match(JSON.stringify(result.content), /another action/)
    const reading = lying({ read: async (...given) => lie(await reviewCases.read(...given)) })
    const taskId = await called(reading, 5)
    await world.decide(session, 'approved')
    assert.ok((await post(reading, 'tasks/get', { taskId })).error)
    const claiming = lying({
      reportContinuation: async (...given) => lie(await reviewCases.reportContinuation(...given)),
    })
    assert.match(await textOf(claiming, taskId), /another action/)
    assert.deepEqual(paid, [])
  })

  it('run nothing of a later version whose schema makes something else of what was approved', async () => {
    const [session, paid] = ['t-versions', [] as number[]]
    const inCents = z.number().transform((amount) => amount * 100)
    const earlier = serverOf(session, paid)
    const later = serverOf(session, paid, { amount: inCents })
    const taskId = await called(earlier, 5)
    await world.decide(session, 'approved')
    // In place, it is a call of other arguments, which is asked for itself.
    const asked = { name: 'transfer', arguments: { amount: 5 } }
    const [{ result }] = await Promise.all([
      post(later, 'tools/call', asked, { tasks: false }),
      world.decide(session, 'rejected'),
    ])
    assert.match(JSON.stringify(result), /Rejected by a reviewer/)
    const shown = (await world.casesOf(session)).map(({ presentation }) => presentation)
    assert.deepEqual(
      shown,
      [5, 500].map((amount) => ({ action: { tool: 'transfer', arguments: { amount } } })),
    )
    assert.match(await textOf(later, taskId), /other arguments than those that were approved/)
    assert.match(await textOf(earlier, taskId), /begun under its approval before/)
    assert.deepEqual(paid, [])
  })

  it('are none for what needs nobody', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const asked = { name: 'transfer', arguments: { amount: 1 } }
    const { result } = await post(serverOf(session, paid), 'tools/call', asked)
    assert.match(JSON.stringify(result.content), /paid 1/)
    assert.deepEqual([paid, await world.casesOf(session)], [[1], []])
  })

  it('are none for what a schema would change once more', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const amount = z.number().transform((given) => given * 100)
    const asked = { name: 'transfer', arguments: { amount: 5 } }
    const waiting = post(serverOf(session, paid, { amount }), 'tools/call', asked)
    await world.decide(session, 'approved')
    assert.match(JSON.stringify((await waiting).result), /paid 500/)
    const [review] = await world.casesOf(session)
    assert.deepEqual(
      [paid, review?.presentation?.action],
      [[500], { tool: 'transfer', arguments: { amount: 500 } }],
    )
  })

  it('are none for a client that does not declare the extension', async () => {
    const [session, paid] = [`t-${++count}`, [] as number[]]
    const asked = { name: 'transfer', arguments: { amount: 5 } }
    const waiting = post(serverOf(session, paid), 'tools/call', asked, { tasks: false })
    await world.decide(session, 'approved')
    assert.match(JSON.stringify((await waiting).result), /paid 5/)
  })
})
