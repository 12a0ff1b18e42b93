import type { Reviews, RunContext, ToolCall } from '@countersign/agents'
import { type Client, type OptionNames, readOptions } from '@countersign/client'
import type { McpServer } from '@modelcontextprotocol/server'
import { refusalOf, type ToolAnswer } from './case-answers.ts'
import { type ActOn, type CaseTasksOptions, createCaseTasks } from './case-tasks.ts'
import { handleTasks, type TaskAnswers } from './task-handlers.ts'

/** Options of `createReviewTasks`. */
export interface ReviewTasksOptions {
  /** Key of the MAC in task ids: the same in all processes that answer for them, at least 32 characters. */
  readonly secret: string
  /** Hears what the service met, which no client is told. */
  readonly onProblem?: (text: string) => void
}

const names: OptionNames<ReviewTasksOptions> = { secret: true, onProblem: true }

/** Runs a tool with arguments that were approved. */
type Act = (input: unknown, context: RunContext) => Promise<ToolAnswer>

/** Calls of reviewed tools as tasks, for clients that declare the extension; one for all servers of a process. */
export interface ReviewTasks {
  /** Serves the tasks of a session by a server, which has one. */
  of(server: McpServer, sessionId: string): ServedTasks
}

/** The tasks that one server tells. */
export interface ServedTasks {
  register(name: string, act: Act): void
  /** Asks for a call; what is sent for it. */
  start(call: ToolCall): Promise<ToolAnswer>
}

/**
 * Creates what serves the tasks extension for reviewed tools. The case is the task: whichever process is asked for it
 * once it is approved reads tool and arguments there, spends the approval and runs. A task's id carries a MAC over
 * both, so that nothing runs but what was asked for, whatever the service answers. Results are kept by the process that
 * ran.
 *
 * @example
 * ```ts
 * import { createReviews } from '@countersign/agents'
 * import { createClient } from '@countersign/client'
 * import { createReviewTasks, registerReviewedTool } from '@countersign/mcp'
 * import { McpServer } from '@modelcontextprotocol/server'
 * import { z } from 'zod'
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
  given: ReviewTasksOptions,
): ReviewTasks {
  const options = readOptions(given, names)
  const results: CaseTasksOptions['results'] = new Map()
  const served = new WeakMap<McpServer, { readonly tasks: ServedTasks; readonly of: string }>()
  return {
    of(server, sessionId) {
      const known = served.get(server)
      if (known && known.of !== sessionId)
        throw new TypeError(`sessionId: expected ${known.of}, of which the server's tasks are`)
      if (known) return known.tasks
      const tasks = serveTasks(server, { ...options, client, reviews, results, sessionId })
      served.set(server, { tasks, of: sessionId })
      return tasks
    },
  }
}

function serveTasks(
  server: McpServer,
  options: CaseTasksOptions & Pick<ReviewTasksOptions, 'onProblem'>,
): ServedTasks {
  const tasks = createCaseTasks(options)
  const tools = new Map<string, Act>()
  const act: ActOn = async ({ tool, arguments: input }, context) =>
    tools.get(tool)?.(input, context) ?? refusalOf('There is no such tool; the call was not made.')

  const knows = (tool: string) => tools.has(tool)

  const get: TaskAnswers['get'] = (taskId) => tasks.get(taskId, act, knows)
  handleTasks(server, { ...tasks, get }, options.onProblem)
  return {
    register: (name, run) => void tools.set(name, run),
    start: tasks.start,
  }
}
