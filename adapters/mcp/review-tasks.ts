import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  type Action,
  actionOf,
  callVerdictOf,
  type Reviews,
  type RunContext,
  type ToolCall,
} from '@countersign/agents'
import { ApiError, type CaseAnswer, type Client } from '@countersign/client'
import { canonicalize } from '@countersign/core/canonical'
import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { questionOf, refusalOf, type ToolAnswer, taskOf, tasksExtension } from './case-answers.ts'

/** Options of `createReviewTasks`. */
export interface ReviewTasksOptions {
  /** Key of the MAC in task ids: the same in all processes that answer for them, at least 32 characters. */
  readonly secret: string
}

/** Runs a tool with arguments that were approved. */
type Act = (input: unknown, context: RunContext) => Promise<ToolAnswer>

/** Calls of reviewed tools as tasks, for clients that declare the extension; one for all servers of a process. */
export interface ReviewTasks {
  /** Serves the tasks of a session by a server. */
  of(server: McpServer, sessionId: string): ServedTasks
}

/** The tasks that one server tells. */
export interface ServedTasks {
  register(name: string, act: Act): void
  /** Asks for a call; what is sent for it. */
  start(call: ToolCall): Promise<ToolAnswer>
}

/** Results that a process keeps for who asks again; the oldest go first. */
const mostResults = 1_000
/** Ms that a poll waits for a tool that runs, before it is told that it does. */
const patienceMs = 5_000

/**
 * Creates what serves the tasks extension for reviewed tools. The case is the task: whichever process is asked for it once
 * it is approved reads tool and arguments there, spends the approval and runs. A task's id carries a MAC over both, so that
 * nothing runs but what was asked for, whatever the service answers. Results are kept by the process that ran.
 *
 * @example
 * ```ts
 * import { createReviews } from '@countersign/agents'
 * import { createClient } from '@countersign/client'
 * import { createReviewTasks, registerReviewedTool } from '@countersign/mcp'
 * import { McpServer } from '@modelcontextprotocol/server'
 * import * as z from 'zod'
 *
 * const client = createClient({ ingestUrl: 'https://ingest.example.com', apiKey })
 * const reviews = createReviews(client, { tools: { transfer: {} }, identify: 'content' })
 * const tasks = createReviewTasks(client, reviews, { secret })
 * const server = new McpServer({ name: 'payments', version: '1.0.0' })
 * const config = { inputSchema: z.object({ amount: z.number() }), sessionId: 'run-4711', tasks }
 * registerReviewedTool(server, reviews, 'transfer', config, async () => {
 *   await pay()
 *   return { content: [{ type: 'text', text: 'paid' }] }
 * })
 * ```
 */
export function createReviewTasks(
  client: Client,
  reviews: Reviews,
  { secret }: ReviewTasksOptions,
): ReviewTasks {
  if (secret.length < 32) throw new RangeError('secret: expected at least 32 characters')
  const results = new Map<string, Promise<ToolAnswer>>()
  const served = new WeakMap<McpServer, ServedTasks>()
  return {
    of(server, sessionId) {
      const known = served.get(server)
      if (known) return known
      const tasks = serveTasks(server, { client, reviews, secret, results, sessionId })
      served.set(server, tasks)
      return tasks
    },
  }
}

function serveTasks(
  server: McpServer,
  {
    client,
    reviews,
    secret,
    results,
    sessionId,
  }: ReviewTasksOptions & {
    readonly client: Client
    readonly reviews: Reviews
    /** By the case's id. */
    readonly results: Map<string, Promise<ToolAnswer>>
    /** Session of the cases; those of others are not found. */
    readonly sessionId: string
  },
): ServedTasks {
  const tools = new Map<string, Act>()

  function macOf(reviewCaseId: string, { tool, arguments: input }: Action): string {
    const text = canonicalize([sessionId, reviewCaseId, tool, input])
    return createHmac('sha256', secret).update(text).digest('base64url')
  }

  /** The task's case, which shows what the id was made for; throws for any other id. */
  async function find(taskId: string): Promise<{ review: CaseAnswer; action: Action }> {
    const [reviewCaseId = '', mac = '', ...more] = taskId.split('.')
    const review = await client.reviewCases.read({ reviewCaseId }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null
      throw error
    })
    const action = review?.sessionId === sessionId ? actionOf(review) : null
    if (!review || !action || more.length > 0 || !isSame(mac, macOf(reviewCaseId, action)))
      throw new Error('there is no such task')
    return { review, action }
  }

  /** Runs the tool under this approval, once; what it answers is kept for who asks again. */
  function finished(review: CaseAnswer, { tool, arguments: input }: Action): Promise<ToolAnswer> {
    const { reviewCaseId, presentationDigest } = review
    const known = results.get(reviewCaseId)
    if (known) return known
    const run = async (): Promise<ToolAnswer> => {
      const act = tools.get(tool)
      if (!act) return refusalOf('There is no such tool any more; the call was not made.')
      const call = { sessionId, callId: '', name: tool, input }
      const { approved, reason } = await reviews.spend(call, callVerdictOf(review, 'tell'))
      return approved ? act(input, { reviewCaseId, presentationDigest }) : refusalOf(reason)
    }
    const result = run().catch((error: unknown) =>
      refusalOf(error instanceof Error ? error.message : 'The tool failed.'),
    )
    results.set(reviewCaseId, result)
    for (const oldest of results.keys()) {
      if (results.size <= mostResults) break
      results.delete(oldest)
    }
    return result
  }

  const params = z.object({ taskId: z.string() })
  const result = z.looseObject({})
  server.server.registerCapabilities({ extensions: { [tasksExtension]: {} } })
  server.server.setRequestHandler('tasks/get', { params, result }, async ({ taskId }) => {
    const { review, action } = await find(taskId)
    const isOver = review.state === 'decided' || review.state === 'expired'
    const done = isOver ? await withinMs(patienceMs, finished(review, action)) : null
    return { resultType: 'complete', ...taskOf(review, { taskId, result: done }) }
  })
  server.server.setRequestHandler(
    'tasks/update',
    { params, result },
    async ({ taskId }, { mcpReq }) => {
      const { review } = await find(taskId)
      // The SDK lifts them out of the parameters.
      const given = z
        .object({ action: z.literal('accept'), content: z.object({ answer: z.string() }) })
        .safeParse(mcpReq.inputResponses?.answer)
      if (given.success && questionOf(review) !== null)
        await client.reviewCases.answerFollowUp({ case: review, answer: given.data.content.answer })
      return { resultType: 'complete' }
    },
  )
  server.server.setRequestHandler('tasks/cancel', { params, result }, async ({ taskId }) => {
    const { review } = await find(taskId)
    const { reviewCaseId, state } = review
    if (state === 'open')
      await client.reviewCases.cancel({ reviewCaseId, reasonCategory: 'end_user_cancelled' })
    return { resultType: 'complete' }
  })

  return {
    register: (name, act) => void tools.set(name, act),
    async start(call) {
      const { verdict, review } = await reviews.open(call)
      const action = review && actionOf(review)
      if (!review || !action) return refusalOf(verdict?.reason ?? 'No reviewer could be asked.')
      // Another action's case is at this place.
      if (verdict?.code === 'changed' || verdict?.code === 'refused')
        return refusalOf(verdict.reason)
      if (verdict) return finished(review, action)
      // Over what was asked for, not over what the service says of it.
      const mac = macOf(review.reviewCaseId, { tool: call.name, arguments: call.input })
      const taskId = `${review.reviewCaseId}.${mac}`
      return { resultType: 'task', ...taskOf(review, { taskId, result: null }), content: [] }
    },
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** What comes within so many ms; null for what takes longer. */
async function withinMs<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
