import { setTimeout as pause } from 'node:timers/promises'
import type { Entry, Payment, Play } from '@countersign/reference-server/reviewed'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpHandler, InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import {
  approvalServer,
  createCaseTasks,
  createGateway,
  createReviewTasks,
  registerReviewedTool,
} from '../index.ts'
import { post } from './post.ts'
import { declared } from './programs.ts'

const inputSchema = z.object({ to: z.string(), amount: z.number() })
const waitMs = 30_000

/** Parameters of a call beside its name and arguments. */
type More = Readonly<Record<string, unknown>>

/** Makes the calls of a play side by side, as a client of the older SDK; what it heard. */
async function called(transport: Transport, { calls }: Play, more: More): Promise<string> {
  const client = new OlderClient({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const answers = calls.map(({ input }) =>
    client.callTool({ ...more, name: 'transfer', arguments: { ...input } }),
  )
  const heard = await Promise.all(answers)
  await client.close()
  return JSON.stringify(heard.map(({ content }) => content))
}

type Run = (play: Play, more?: More) => Promise<string>

const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** A tool of an author's own server, held back by the server itself. */
const reviewedTool: Run = async (play, more = {}) => {
  const { reviews, sessionId, pay } = play
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  const config = { inputSchema, sessionId, waitMs }
  registerReviewedTool(server, reviews, 'transfer', config, async (input, context) =>
    textOf(await pay(input, context)),
  )
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  // The two SDKs declare one protocol's transport each.
  return called(here as unknown as Transport, play, more)
}

/** A server that knows nothing of reviews, behind the gateway. */
const gateway: Run = async (play, more = {}) => {
  const { reviews, sessionId, pay } = play
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  const context = { reviewCaseId: null, presentationDigest: null }
  server.registerTool<z.ZodObject, typeof inputSchema>(
    'transfer',
    { inputSchema },
    async (input: Payment) => textOf(await pay(input, context)),
  )
  const [toGateway, ofClient] = InMemoryTransport.createLinkedPair()
  const [ofServer, toServer] = InMemoryTransport.createLinkedPair()
  const { fromClient } = createGateway({
    reviews,
    sessionId,
    run: [],
    waitMs,
    toServer: (message) => void ofServer.send(message as never),
    toClient: (message) => void ofClient.send(message as never),
  })
  ofClient.onmessage = (message) => void fromClient(message)
  ofServer.onmessage = (message) => void ofClient.send(message)
  await Promise.all([server.connect(toServer), ofClient.start(), ofServer.start()])
  return called(toGateway as unknown as Transport, play, more)
}

/** Answers one request to a server, its result or its error. */
type Ask = (method: string, params: object) => Promise<unknown>

/** Makes the calls of a play as tasks, and polls each until it has ended; what was told of them. */
async function polled(ask: Ask, { calls }: Play, more: More): Promise<string> {
  const ended = calls.map(async ({ input }) => {
    const asked = { ...more, name: 'transfer', arguments: { ...input } }
    const answer = await ask('tools/call', asked)
    const { taskId } = answer as { readonly taskId?: string }
    if (!taskId) return answer
    for (const until = Date.now() + waitMs; Date.now() < until; await pause(50)) {
      const task = (await ask('tasks/get', { taskId })) as { readonly status: string }
      if (task.status === 'cancelled') return `The request of ${taskId} was cancelled.`
      if (task.status !== 'working') return task
    }
    return 'The task goes on.'
  })
  return JSON.stringify(await Promise.all(ended))
}

const secret = 'a secret of at least 32 characters'

/** A tool of an author's own server, whose calls are tasks. */
const reviewedTask: Run = async (play, more = {}) => {
  const { client, reviews, sessionId, pay } = play
  const tasks = createReviewTasks(client, reviews, { secret })
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' })
    const config = { inputSchema, sessionId, waitMs, tasks }
    registerReviewedTool(server, reviews, 'transfer', config, async (input, context) =>
      textOf(await pay(input, context)),
    )
    return server
  })
  const ask: Ask = async (method, params) => {
    const handle = (request: Request) => handler.fetch(request)
    const { result, error } = await post(handle, method, { ...params })
    return result ?? error
  }
  return polled(ask, play, more)
}

/** A server that knows nothing of reviews, behind the gateway, to whose client calls are tasks. */
const gatewayTask: Run = async (play, more = {}) => {
  const { client, reviews, sessionId, pay } = play
  const results = new Map()
  const waiting = new Map<unknown, (answer: unknown) => void>()
  const gateway = createGateway({
    reviews,
    sessionId,
    run: [],
    waitMs,
    tasks: createCaseTasks({ client, reviews, sessionId, secret, results }),
    async toServer({ id, params }) {
      const { arguments: input } = params as { readonly arguments: Payment }
      const text = await pay(input, { reviewCaseId: null, presentationDigest: null })
      gateway.fromServer({ jsonrpc: '2.0', id, result: textOf(text) })
    },
    toClient: ({ id, result, error }) => waiting.get(id)?.(result ?? error),
  })
  let count = 0
  const ask: Ask = (method, params) => {
    const id = ++count
    const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve))
    const { _meta = {} } = params as { readonly _meta?: object }
    const asked = { ...params, _meta: { ..._meta, ...declared } }
    void gateway.fromClient({ jsonrpc: '2.0', id, method, params: asked })
    return answer
  }
  return polled(ask, play, more)
}

/** An agent that asks, and pays itself what was approved. */
const obedient: Run = async ({ client: service, sessionId, calls, pay }) => {
  const server = approvalServer(service, { sessionId, waitMs, pollMs: 50 })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = new OlderClient({ name: 'test', version: '1.0.0' })
  await client.connect(here as unknown as Transport)
  const heard = calls.map(async ({ input }) => {
    const asked = { action: 'transfer', arguments: { ...input } }
    const answer = await client.callTool({ name: 'ask_for_approval', arguments: asked })
    const { structuredContent, content } = answer
    const { approved, spent, reviewCaseId } = Object(structuredContent)
    if (approved !== true || spent !== false) return JSON.stringify(content)
    return pay(input, { reviewCaseId, presentationDigest: null })
  })
  const all = await Promise.all(heard)
  await client.close()
  return all.join()
}

/** Its name among agents' processes. */
export const adviceName = 'ask_for_approval'

/** The way in that is advice: nothing is held back, and reviews of the application have no part in it. */
export const advice: Entry = { run: obedient, byContent: true, sharesCases: true }

/** The ways in by MCP, whose calls have no ids that outlive a process. */
export const entries: Readonly<Record<string, Entry & { readonly run: Run }>> = {
  'a reviewed tool': { run: reviewedTool, byContent: true },
  'the gateway': { run: gateway, byContent: true, asksAlways: true },
  'a reviewed tool, as a task': {
    run: reviewedTask,
    byContent: true,
    sharesCases: true,
    deniesAway: true,
  },
  'the gateway, as a task': {
    run: gatewayTask,
    byContent: true,
    sharesCases: true,
    asksAlways: true,
    deniesAway: true,
  },
}
