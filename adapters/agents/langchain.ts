import { ToolMessage } from '@langchain/core/messages'
import { RunnableBinding, RunnableToolLike } from '@langchain/core/runnables'
import {
  DynamicStructuredTool,
  DynamicTool,
  isRunnableToolLike,
  StructuredTool,
  Tool,
} from '@langchain/core/tools'
import { interopParseAsync, isInteropZodSchema } from '@langchain/core/utils/types'
import { Command, type StateSnapshot } from '@langchain/langgraph'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import type { Reviews, RunContext } from './options.ts'
import { type CallIds, isSameCall, jsonOf } from './tool-call.ts'
import { changedVerdict, NotRun, refusedVerdict, spentVerdict } from './verdict.ts'

/**
 * Middleware that asks where a tool is called, waits, and calls it if its approval can be spent; the model hears of the
 * rest in a ToolMessage. Put it last in `middleware`: what others make of a call after it is compared with what was
 * shown, and not asked for. The agent needs a checkpointer: after a crash, `agent.invoke(null, config)` makes the same
 * calls. What is shown is what the tool's function is given, with the defaults of its schema. `sessionId` is the
 * thread's id unless it is given.
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
      const signal = signalOf(request.runtime)
      const parsed = await parsedArgs(tool, args)
      const told = ({ message: content }: { readonly message: string }) =>
        new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
      // Arguments that its schema refuses run nothing.
      if (typeof parsed === 'string') return told({ message: parsed })
      // What people see is the name.
      if (tool && Reflect.get(tool, 'name') !== name) return told(otherCall())
      const call = { sessionId: session, callId: id, name, input: parsed.input }
      // Before a policy is asked, which may wait: what it saw is what runs.
      const plain = plainOf(call.input)
      /** Hands a call on, whose tool is given this, as it is shown, so many times. */
      const handOn = (handed: unknown, shown: unknown, most: number) => {
        const checkOf = (expected: unknown) => {
          let runs = 0
          return (given: unknown) => {
            if (!isSameCall({ input: expected }, { input: given })) return told(otherCall())
            return runs++ < most ? null : told(new NotRun(spentVerdict(refusedVerdict('spent'))))
          }
        }
        const checks = { invoked: checkOf(handed), called: checkOf(shown) }
        const held = heldTool(tool, { ...checks, shown })
        // A copy: middleware after this one may change what it is handed.
        const copy = { ...toolCall, args: structuredClone(handed) as typeof args }
        return handler({ ...request, tool: held, toolCall: copy })
      }
      const handed = plain && (await handedOf(tool, plain.input, args))
      if (plain && !isHeld(tool, handed, plain.input)) return told(unheld(name))
      if (!(await reviews.needs(plain ? { ...call, ...plain } : call, { signal }))) {
        // No policy saw it.
        if (!plain) return handler(request)
        if (!isSameCall(plain, call)) return told(otherCall())
        return handOn(handed, plain.input, Number.POSITIVE_INFINITY)
      }
      const act = async ({ edited }: RunContext, shown: unknown) => {
        if (edited === undefined) return handOn(handed, shown, 1)
        // The schema has not seen it yet, and a runnable is given it past that.
        const taken = actsIn(tool) === '_call' || (await handedOf(tool, shown, null)) === shown
        return taken && isHeld(tool, shown, shown) ? handOn(shown, shown, 1) : told(unheld(name))
      }
      try {
        return await reviews.run(call, act, { signal, isNeeded: true })
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

const unheld = (name: string) => ({
  message: `The tool ${name} can't be held to what is shown of a call: its schema makes something else of that, or it is a runnable of another copy of @langchain/core. It was not called.`,
})

/**
 * Where a tool acts: in `_call`, after LangChain parsed its arguments, as a runnable, or in its own way. A runnable
 * that is invoked otherwise, as one of another copy of `@langchain/core` is, parses them where nothing can be compared
 * any more.
 */
function actsIn(tool: object | undefined): '_call' | 'runnable' | 'own' | 'unseen' {
  const { _call, call, invoke } = (tool ?? {}) as Readonly<Record<string, unknown>>
  if (isRunnableToolLike(tool)) {
    const isKnown = tool instanceof RunnableToolLike
    return isKnown && invoke === RunnableBinding.prototype.invoke ? 'runnable' : 'unseen'
  }
  const isParsed = invoke === StructuredTool.prototype.invoke && calls.has(call)
  return !tool || (_call && isParsed) ? '_call' : 'own'
}

const calls = new Set<unknown>(
  [StructuredTool, Tool, DynamicTool, DynamicStructuredTool].map(({ prototype }) => prototype.call),
)

/** Whether a tool can be given what is shown alone, when it is called with what is handed on. */
function isHeld(tool: object | undefined, handed: unknown, shown: unknown): boolean {
  const acting = actsIn(tool)
  if (acting === 'unseen') return false
  if (acting !== 'runnable') return acting === '_call' || handed === shown
  // What looks like the call of a tool, a runnable parses.
  return (shown as { readonly type?: unknown } | null)?.type !== 'tool_call'
}

/**
 * With which arguments a tool's function is given what is shown: that itself, where the schema leaves it as it is, for
 * its defaults may be others each time.
 */
async function handedOf(tool: object | undefined, shown: unknown, args: unknown): Promise<unknown> {
  const again = typeof shown === 'object' && shown ? await parsedArgs(tool, shown) : ''
  if (typeof again !== 'string' && isSameCall({ input: shown }, again)) return shown
  return plainOf(args)?.input
}

/** What the function of a tool is given of these arguments; as text, why its schema refuses them. */
async function parsedArgs(
  tool: object | undefined,
  args: unknown,
): Promise<{ readonly input: unknown } | string> {
  const { schema } = (tool ?? {}) as { readonly schema?: unknown }
  if (!isInteropZodSchema(schema)) return { input: args }
  return interopParseAsync<unknown>(schema, structuredClone(args)).then(
    (input) => ({ input }),
    (error: unknown) => `The arguments are not what the tool's schema takes: ${String(error)}`,
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

/** What runs of a tool: null, or the answer in its place. */
interface Hold {
  /** By the arguments of a call. */
  invoked(args: unknown): ToolMessage | null
  /** By what the schema makes of them. */
  called(input: unknown): ToolMessage | null
  readonly shown: unknown
}

/** A tool that runs where both of a hold are null; some act as they are invoked, others in `_call`. */
function heldTool<T extends object | undefined>(tool: T, { invoked, called, shown }: Hold): T {
  if (!tool) return noTool as unknown as T
  const { _call, invoke } = tool as { readonly _call?: Act; readonly invoke?: Act }
  const held: T & { responseFormat?: string } = Object.create(tool)
  const hold = (name: string, value: Act) => Object.defineProperty(held, name, { value })
  hold('invoke', async (given, ...rest) => {
    const { args } = given as { readonly args?: unknown }
    const refused = invoked(args)
    if (refused) return refused
    // Its schema may make something else of the call by now.
    if (actsIn(tool) === 'runnable') return invoke?.call(tool, structuredClone(shown), ...rest)
    // A tool that is no class of LangChain's acts here, on what nobody else holds.
    const own = { ...(given as object), args: structuredClone(args) }
    return invoke?.call(_call ? held : tool, own, ...rest)
  })
  if (!_call) return held
  hold('_call', (given, ...rest) => {
    const refused = called(given)
    if (!refused) return _call.call(tool, given, ...rest)
    // A message is whole: in the other format it would have to be a pair.
    held.responseFormat = 'content'
    return refused
  })
  return held
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

/** What an interrupt is resumed with: the verdict, and the id by which a guard finds its case in the thread. */
export interface InterruptAnswer {
  readonly approved: boolean
  readonly reason: string
  readonly callId: string
}

/**
 * Finds the ids of the call that an interrupt asked for, for `reviews.guard`. The thread is that of the node's
 * `config`: an answer, which may come from elsewhere, approves nothing by a case of another one.
 */
export function idsOfInterrupt({ callId }: InterruptAnswer, config: object): CallIds {
  return { sessionId: threadOf(config), callId, signal: signalOf(config) }
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
 * checkpointer; guard what acts after the interrupt by `idsOfInterrupt`.
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
    const answer: InterruptAnswer = { approved, reason, callId: id }
    return [id, answer] as const
  })
  // By their ids: a bare answer would be that to every interrupt.
  return new Command<unknown, Record<string, never>, never>({
    resume: Object.fromEntries(await Promise.all(asked)),
  })
}
