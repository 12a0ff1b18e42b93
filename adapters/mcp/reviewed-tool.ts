import { NotRun, type Reviews, type RunContext } from '@countersign/agents'
import type { McpServer } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { declaresTasks, refusalOf, type ToolAnswer } from './case-answers.ts'
import type { ReviewTasks } from './review-tasks.ts'

/** Options of `registerReviewedTool`. */
export interface ReviewedToolOptions<Input extends z.ZodObject> {
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Input
  readonly sessionId: string
  /** Ms that a call waits for its decision; default 45,000. */
  readonly waitMs?: number
  /** For clients that declare the tasks extension, to which the call is a task. */
  readonly tasks?: ReviewTasks
}

/**
 * Registers a tool that runs only what a person approved, once. A call whose decision does not come within `waitMs` says
 * so, and the same call again finds its case: create the reviews with `identify: 'content'`, for a client's calls have no
 * ids that outlive them.
 */
export function registerReviewedTool<Input extends z.ZodObject>(
  server: McpServer,
  reviews: Reviews,
  name: string,
  { sessionId, waitMs = 45_000, tasks, ...config }: ReviewedToolOptions<Input>,
  act: (input: z.infer<Input>, context: RunContext) => Promise<ToolAnswer>,
): void {
  const actWith = (input: unknown, run: RunContext) =>
    act(config.inputSchema.parse(input) as z.infer<Input>, run)
  const served = tasks?.of(server, sessionId)
  served?.register(name, actWith)
  server.registerTool<z.ZodObject, z.ZodObject>(name, config, async (input, context) => {
    const { mcpReq } = context
    const late = AbortSignal.timeout(waitMs)
    const signal = AbortSignal.any([late, mcpReq.signal])
    const call = { sessionId, callId: '', name, input }
    if (served && declaresTasks(context)) return served.start(call)
    try {
      return await reviews.run(call, (run) => actWith(run.edited ?? input, run), { signal })
    } catch (error) {
      if (error instanceof NotRun) return refusalOf(error.message)
      if (error !== late.reason) throw error
      const text =
        'A person is asked and has not decided yet. Make exactly the same call again later.'
      return refusalOf(text)
    }
  })
}
