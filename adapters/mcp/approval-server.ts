import { createReviews } from '@countersign/agents'
import { ApiError, type CaseAnswer, type Client } from '@countersign/client'
import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod'
import {
  answerOf,
  declaresTasks,
  questionOf,
  refusalOf,
  type ToolAnswer,
  taskOf,
  tasksExtension,
} from './case-answers.ts'

/** Options of `approvalServer`. */
export interface ApprovalServerOptions {
  /** Session of the cases; those of others are not found. */
  readonly sessionId: string
  /** Ms that a call waits for its decision; default 45,000, for clients end one after 60,000 unless told otherwise. */
  readonly waitMs?: number
  /** Ms between reads of a case, and between notifications of progress; default 1,000. */
  readonly pollMs?: number
  readonly onProblem?: (text: string) => void
}

const asked = z.object({
  action: z.string().min(1).max(100).describe('What is to be done, such as the name of a tool.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('With what it is to be done.'),
  why: z.string().max(2_000).optional().describe('What the reviewer should know.'),
  tier: z.enum(['standard', 'high', 'urgent']).optional(),
  key: z
    .string()
    .max(100)
    .optional()
    .describe('An id of this action; the same again is the same request.'),
})
const named = z.object({
  reviewCaseId: z.string(),
  answer: z.string().optional().describe('The answer to what the reviewer asked.'),
})
const withdrawn = named.pick({ reviewCaseId: true })
const advice =
  'This tool enforces nothing by itself: do the action only if `approved` is true, once, and exactly as it was asked.'

/**
 * An MCP server by whose tools an agent asks a person: `ask_for_approval`, `check_approval`, `withdraw_approval`. For
 * clients that declare the tasks extension the case is the task; others wait for at most `waitMs` a call. A call that is
 * aborted cancels nothing.
 *
 * @example
 * ```ts
 * import { createClient } from '@countersign/client'
 * import { approvalServer } from '@countersign/mcp'
 * import { serveStdio } from '@modelcontextprotocol/server/stdio'
 *
 * const client = createClient({ ingestUrl: 'https://ingest.example.com', apiKey })
 * serveStdio(() => approvalServer(client, { sessionId: 'run-4711' }))
 * ```
 */
export function approvalServer(client: Client, options: ApprovalServerOptions): McpServer {
  const { sessionId, waitMs = 45_000, pollMs = 1_000 } = options
  const capabilities = { extensions: { [tasksExtension]: {} } }
  const server = new McpServer({ name: 'countersign', version: '0.1.0' }, { capabilities })

  /** A case of this session; null for any other, as if there were none. */
  async function find(reviewCaseId: string): Promise<CaseAnswer | null> {
    const review = await client.reviewCases.read({ reviewCaseId }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null
      throw error
    })
    return review?.sessionId === sessionId ? review : null
  }

  /** What became of a case; an approval is reported as told, so that the same content is asked for anew. */
  async function told(review: CaseAnswer): Promise<ToolAnswer> {
    if (review.decision !== 'approved') return answerOf(review)
    const spent = review.continuation !== null
    const { reviewCaseId } = review
    if (!spent)
      await client.reviewCases.reportContinuation({
        reviewCaseId,
        outcome: 'resumed',
        detail: 'The approval was told to the agent.',
      })
    return answerOf(review, spent)
  }

  async function waited(review: CaseAnswer, { mcpReq }: ServerContext): Promise<CaseAnswer> {
    const until = Date.now() + waitMs
    const progressToken = mcpReq._meta?.progressToken
    let seen = review
    for (let progress = 1; seen.state === 'open' && Date.now() < until; progress++) {
      if (mcpReq.signal.aborted || questionOf(seen) !== null) return seen
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      if (progressToken !== undefined) {
        const params = { progressToken, progress, message: 'A person is asked.' }
        await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
      }
      seen = await client.reviewCases.read({ case: seen })
    }
    return seen
  }

  server.registerTool<z.ZodObject, typeof asked>(
    'ask_for_approval',
    { description: `Asks a person to approve an action, and waits. ${advice}`, inputSchema: asked },
    async ({ action, arguments: input = {}, why, tier, key }, context) => {
      let review: CaseAnswer | null = null
      const policy = {
        ...(tier && { reviewTier: tier }),
        ...(why !== undefined && { describe: () => ({ summary: why }) }),
      }
      const reviews = createReviews(client, {
        tools: Object.fromEntries([[action, policy]]),
        identify: key === undefined ? 'content' : 'call',
        onOpen: (opened) => {
          review = opened
        },
        onProblem: ({ code, error }) => options.onProblem?.(`${code}: ${String(error)}`),
      })
      const found = await reviews.check({ sessionId, callId: key ?? '', name: action, input })
      if (found?.code === 'refused' || review === null) return refusalOf(found?.reason ?? 'refused')
      if (declaresTasks(context)) return { resultType: 'task', ...taskOf(review), content: [] }
      return told(await waited(review, context))
    },
  )

  server.registerTool<z.ZodObject, typeof named>(
    'check_approval',
    {
      description: `What became of a request, or the answer to a question. ${advice}`,
      inputSchema: named,
    },
    async ({ reviewCaseId, answer }, context) => {
      const review = await find(reviewCaseId)
      if (!review) return refusalOf('There is no such request.')
      const seen =
        answer === undefined || questionOf(review) === null
          ? review
          : await client.reviewCases.answerFollowUp({ case: review, answer })
      return told(await waited(seen, context))
    },
  )

  server.registerTool<z.ZodObject, typeof withdrawn>(
    'withdraw_approval',
    { description: 'Withdraws a request.', inputSchema: withdrawn },
    async ({ reviewCaseId }) => {
      const review = await find(reviewCaseId)
      if (!review) return refusalOf('There is no such request.')
      return answerOf(await withdraw(review))
    },
  )

  async function withdraw(review: CaseAnswer): Promise<CaseAnswer> {
    const { reviewCaseId, state } = review
    if (state !== 'open') return review
    return client.reviewCases.cancel({ reviewCaseId, reasonCategory: 'end_user_cancelled' })
  }

  async function task(taskId: string): Promise<CaseAnswer> {
    const review = await find(taskId)
    if (!review) throw new Error('there is no such task')
    return review
  }

  const params = z.object({ taskId: z.string() })
  const result = z.looseObject({})
  server.server.setRequestHandler('tasks/get', { params, result }, async ({ taskId }) => {
    const review = await task(taskId)
    await told(review)
    return { resultType: 'complete', ...taskOf(review) }
  })
  server.server.setRequestHandler(
    'tasks/update',
    { params, result },
    async ({ taskId }, context) => {
      const review = await task(taskId)
      // The SDK lifts them out of the parameters.
      const given = z
        .object({ action: z.literal('accept'), content: z.object({ answer: z.string() }) })
        .safeParse(context.mcpReq.inputResponses?.answer)
      if (given.success && questionOf(review) !== null)
        await client.reviewCases.answerFollowUp({ case: review, answer: given.data.content.answer })
      return { resultType: 'complete' }
    },
  )
  server.server.setRequestHandler('tasks/cancel', { params, result }, async ({ taskId }) => {
    await withdraw(await task(taskId))
    return { resultType: 'complete' }
  })
  return server
}
