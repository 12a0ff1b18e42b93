import { ToolMessage } from '@langchain/core/messages'
import { interopParseAsync, isInteropZodSchema } from '@langchain/core/utils/types'
import { Command, type StateSnapshot } from '@langchain/langgraph'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import type { Reviews, RunContext } from './options.ts'
import { isSameCall, jsonOf } from './tool-call.ts'
import { changedVerdict, NotRun, refusedVerdict, spentVerdict } from './verdict.ts'

/**
 * Middleware that asks where a tool is called, waits, and calls it if its approval can be spent; the model hears of the
 * rest in a ToolMessage. Put it last in `middleware`: what others make of a call after it is compared with what was
 * shown, and not asked for. The agent needs a checkpointer: after a crash, `agent.invoke(null, config)` makes the same
 * calls. What is shown is what the tool's function is given, with the defaults of its schema. `sessionId` is the thread's
 * id unless it is given.
 */
export function reviewMiddleware(
  reviews: Reviews,
  { sessionId }: { readonly sessionId?: string } = {},
): AgentMiddleware {
  return createMiddleware({
    name: 'countersign',
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool } = request
      const { id, name, args } = toolCall
      const session = sessionId ?? threadOf(request.runtime)
      if (!id) throw new TypeError('expected the id of the tool call, got none')
      const parsed = await parsedArgs(tool, args)
      const call = { sessionId: session, callId: id, name, input: parsed ? parsed.input : args }
      const told = ({ message: content }: NotRun) =>
        new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
      // Arguments that its schema refuses run nothing: the tool says what is wrong with them.
      if (!parsed) return handler({ ...request, tool: heldTool(tool, () => told(otherCall())) })
      const isOther = (shown: unknown, input: unknown) =>
        !isSameCall({ ...call, input: shown }, { ...call, input })
      // Before a policy is asked, which may wait: what it saw is what runs.
      const plain = plainOf(call.input)
      if (!(await reviews.needs(plain ? { ...call, ...plain } : call))) {
        // No policy saw it.
        if (!plain) return handler(request)
        const check = (input: unknown) => (isOther(plain.input, input) ? told(otherCall()) : null)
        return handler({ ...request, tool: heldTool(tool, check) })
      }
      const act = ({ edited }: RunContext, shown: unknown) => {
        let runs = 0
        const check = (input: unknown) => {
          if (isOther(shown, input)) return told(otherCall())
          return runs++ === 0 ? null : told(new NotRun(spentVerdict(refusedVerdict('spent'))))
        }
        const asked = edited === undefined ? args : argsOf(shown)
        const held = { tool: heldTool(tool, check), toolCall: { ...toolCall, args: asked } }
        return handler({ ...request, ...held })
      }
      try {
        return await reviews.run(call, act, { signal: signalOf(request.runtime) })
      } catch (error) {
        if (!(error instanceof NotRun)) throw error
        return told(error)
      }
    },
  })
}

/** A copy of an input; null where it is no JSON. */
function plainOf(value: unknown): { readonly input: unknown } | null {
  try {
    return { input: jsonOf(value) }
  } catch {
    return null
  }
}

const otherCall = () => new NotRun(changedVerdict(refusedVerdict('changed')))

/** A reviewer's change of an object is one. */
const argsOf = (edited: unknown) => edited as Record<string, unknown>

/** What the function of a tool is given of these arguments; null where its schema refuses them. */
async function parsedArgs(
  tool: object | undefined,
  args: unknown,
): Promise<{ readonly input: unknown } | null> {
  const { schema } = (tool ?? {}) as { readonly schema?: unknown }
  if (!isInteropZodSchema(schema)) return { input: args }
  return interopParseAsync<unknown>(schema, structuredClone(args)).then(
    (input) => ({ input }),
    () => null,
  )
}

type Act = (input: unknown, ...rest: readonly unknown[]) => unknown

/** In the place of one that there is not, for the framework would find another by what became of the call's name. */
const noTool = {
  name: 'none',
  invoke: async ({ id, name }: { readonly id: string; readonly name: string }) =>
    new ToolMessage({
      content: `There is no tool ${name}.`,
      tool_call_id: id,
      name,
      status: 'error',
    }),
}

/** A tool whose function runs where `check` of its input is null; else what that is, is its answer. */
function heldTool<T extends object | undefined>(
  tool: T,
  check: (input: unknown) => ToolMessage | null,
): T {
  if (!tool) return noTool as unknown as T
  const { _call, invoke } = tool as { readonly _call?: Act; readonly invoke?: Act }
  // A tool that is no class of LangChain's is given the whole call.
  const [name, act, inputOf] = _call
    ? (['_call', _call, (given: unknown) => given] as const)
    : (['invoke', invoke, (given: unknown) => (given as { readonly args: unknown }).args] as const)
  const held: T & { responseFormat?: string } = Object.create(tool)
  const value = (given: unknown, ...rest: readonly unknown[]) => {
    const refused = check(inputOf(given))
    if (!refused) return act?.call(tool, given, ...rest)
    // A message is whole: in the other format it would have to be a pair.
    held.responseFormat = 'content'
    return refused
  }
  return Object.defineProperty(held, name, { value })
}

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
    const { name, input } = callOf(value as never)
    const call = { sessionId, callId: id, name, input }
    const { approved, reason } = await reviews.ask(call, { signal })
    const answer: InterruptAnswer = { approved, reason, sessionId, callId: id }
    return [id, answer] as const
  })
  // By their ids: a bare answer would be that to every interrupt.
  return new Command<unknown, Record<string, never>, never>({
    resume: Object.fromEntries(await Promise.all(asked)),
  })
}
