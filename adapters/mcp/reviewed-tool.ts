import { isDeepStrictEqual } from 'node:util'
import { NotRun, type Reviews, type RunContext } from '@countersign/agents'
import { type OptionNames, readOptions } from '@countersign/client'
import type {
  Icon,
  McpServer,
  ScopeChallengeHandler,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { declaresTasks, refusalOf, type ToolAnswer } from './case-answers.ts'
import type { ReviewTasks } from './review-tasks.ts'

/** Options of `registerReviewedTool`. */
export interface ReviewedToolOptions<Input extends z.ZodObject> {
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Input
  /** Of `structuredContent`; a tool with one is called in place, for a task has none yet. */
  readonly outputSchema?: z.ZodObject
  readonly annotations?: ToolAnnotations
  readonly icons?: Icon[]
  readonly scopeChallenge?: ScopeChallengeHandler
  readonly _meta?: Record<string, unknown>
  readonly sessionId: string
  /** Ms that a call waits for its decision; default 45,000. */
  readonly waitMs?: number
  /** For clients that declare the tasks extension, to which the call is a task. */
  readonly tasks?: ReviewTasks
}

const names: OptionNames<ReviewedToolOptions<z.ZodObject>> = {
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  icons: true,
  scopeChallenge: true,
  _meta: true,
  sessionId: true,
  waitMs: true,
  tasks: true,
}

/**
 * Registers a tool that runs only what a person approved, once. A call whose decision does not come within `waitMs`
 * says so, and the same call again finds its case: create the reviews with `identify: 'content'`, for a client's calls
 * have no ids that outlive them. People see what the schema made of the arguments, and that is what runs.
 */
export function registerReviewedTool<Input extends z.ZodObject>(
  server: McpServer,
  reviews: Reviews,
  name: string,
  options: ReviewedToolOptions<Input>,
  act: (input: z.infer<Input>, context: RunContext) => Promise<ToolAnswer>,
): void {
  const { sessionId, waitMs = 45_000, tasks, ...config } = readOptions(options, names)
  const { inputSchema } = config

  /** Runs what a case showed, where the schema leaves it as it was shown. */
  async function actOnShown(shown: unknown, run: RunContext): Promise<ToolAnswer> {
    const input = await inputOf(inputSchema, shown)
    return input ? act(input, run) : refusalOf(notAsShown)
  }

  const served = config.outputSchema ? undefined : tasks?.of(server, sessionId)
  served?.register(name, actOnShown)
  server.registerTool<z.ZodObject, z.ZodObject>(name, config, async (parsed, context) => {
    const call = { sessionId, callId: '', name, input: parsed }
    // The SDK has parsed the input, of which this is the copy that was shown; a reviewer's changes were not.
    const actOn = (given: RunContext, shown: unknown) => {
      // What ends the wait for people ends no work.
      const run = { ...given, signal: context.mcpReq.signal }
      return run.edited === undefined ? act(shown as z.infer<Input>, run) : actOnShown(shown, run)
    }
    // The client's limit counts from here, a policy's time too.
    const late = AbortSignal.timeout(waitMs)
    const signal = AbortSignal.any([late, context.mcpReq.signal])
    try {
      // A task has its arguments from the case: one that would not be run as it is shown waits in place.
      if (!served || !declaresTasks(context) || !(await inputOf(inputSchema, jsonOf(parsed))))
        return await reviews.run(call, actOn, { signal })
      const unasked = await reviews.runUnasked(call, actOn, { signal })
      return unasked ? unasked.done : await served.start(call)
    } catch (error) {
      if (error === late.reason) return refusalOf(notYet)
      return heldBack(error)
    }
  })
}

/** What a call that was held back answers; throws what its action threw. */
function heldBack(error: unknown): ToolAnswer {
  if (error instanceof NotRun) return refusalOf(error.message)
  throw error
}

const notYet = 'Nobody has decided about this call yet. Make exactly the same call again later.'
const notAsShown =
  'The tool takes other arguments than those that were approved; the call was not made.'

/** The input that these arguments are; null where the schema refuses them, or makes others of them. */
async function inputOf<Input extends z.ZodObject>(
  schema: Input,
  shown: unknown,
): Promise<z.infer<Input> | null> {
  const { data } = await schema.safeParseAsync(shown)
  return data && isDeepStrictEqual(jsonOf(data), shown) ? data : null
}

const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
