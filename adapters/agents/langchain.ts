import { ToolMessage } from '@langchain/core/messages'
import { Command, type StateSnapshot } from '@langchain/langgraph'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import type { Reviews } from './options.ts'
import { NotRun } from './verdict.ts'

/**
 * Middleware that asks where a tool is called, waits, and calls it if its approval can be spent; the model hears of the
 * rest in a ToolMessage. The agent needs a checkpointer: after a crash, `agent.invoke(null, config)` makes the same calls.
 * `sessionId` is the thread's id unless it is given.
 */
export function reviewMiddleware(
  reviews: Reviews,
  { sessionId }: { readonly sessionId?: string } = {},
): AgentMiddleware {
  return createMiddleware({
    name: 'countersign',
    wrapToolCall: async (request, handler) => {
      const { id, name, args } = request.toolCall
      const session = sessionId ?? threadOf(request.runtime)
      if (!id) throw new TypeError('expected the id of the tool call, got none')
      const call = { sessionId: session, callId: id, name, input: args }
      if (!(await reviews.needs(call))) return handler(request)
      try {
        return await reviews.run(
          call,
          ({ edited }) =>
            handler(
              edited === undefined
                ? request
                : { ...request, toolCall: { ...request.toolCall, args: argsOf(edited) } },
            ),
          { signal: signalOf(request.runtime) },
        )
      } catch (error) {
        if (!(error instanceof NotRun)) throw error
        return new ToolMessage({ content: error.message, tool_call_id: id, name, status: 'error' })
      }
    },
  })
}

/** A reviewer's change of an object is one. */
const argsOf = (edited: unknown) => edited as Record<string, unknown>

function threadOf(runtime: object): string {
  const { configurable } = runtime as { readonly configurable?: { readonly thread_id?: unknown } }
  const thread = configurable?.thread_id
  if (typeof thread === 'string') return thread
  throw new TypeError('expected a sessionId, or configurable.thread_id')
}

function signalOf(runtime: object): AbortSignal | undefined {
  return (runtime as { readonly signal?: AbortSignal }).signal
}

/** What an interrupt is resumed with: the verdict, and the ids by which a guard finds its case. */
export interface InterruptAnswer {
  readonly approved: boolean
  readonly reason: string
  readonly sessionId: string
  readonly callId: string
}

/** What of a graph is used. */
export interface GraphLike {
  getState(config: ThreadConfig): Promise<Pick<StateSnapshot, 'tasks'>>
}

/** The thread of a run. */
export interface ThreadConfig {
  configurable: { thread_id: string }
}

/**
 * Asks people for all that a thread stopped for, at once, and resolves to what resumes it: each interrupt with its own
 * answer. Null where it stopped for nothing. `callOf` says which call an interrupt's value asks for. The graph needs a
 * checkpointer; guard what acts after the interrupt by the ids of its answer.
 */
export async function resumeOf(
  reviews: Reviews,
  graph: GraphLike,
  config: ThreadConfig,
  callOf: (value: never) => { readonly name: string; readonly input: unknown },
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Command<unknown, Record<string, never>, never> | null> {
  const { tasks } = await graph.getState(config)
  const sessionId = config.configurable.thread_id
  const stopped = tasks.flatMap(({ interrupts }) => interrupts)
  if (stopped.length === 0) return null
  const asked = stopped.map(async ({ id, value }) => {
    if (!id) throw new TypeError('expected the id of an interrupt, got none')
    const call = { sessionId, callId: id, ...callOf(value as never) }
    const { approved, reason } = await reviews.ask(call, { signal })
    const answer: InterruptAnswer = { approved, reason, sessionId, callId: id }
    return [id, answer] as const
  })
  // By their ids: a bare answer would be that to every interrupt.
  return new Command<unknown, Record<string, never>, never>({
    resume: Object.fromEntries(await Promise.all(asked)),
  })
}
