import { canonicalize } from '@countersign/core/canonical'
import { createTogether } from './meetings.ts'
import type { Reviews } from './options.ts'
import { type CallIds, jsonOf } from './tool-call.ts'
import { changedReason, changedVerdict, NotRun } from './verdict.ts'
import { asWritten, parsed } from './written-json.ts'

/** What of an interruption is looked at. */
export interface InterruptionLike {
  readonly name?: string | undefined
  readonly arguments?: string | undefined
  readonly rawItem: object
}

/** What of a RunState is used. */
export interface RunStateLike<Item extends InterruptionLike> {
  getInterruptions(): Item[]
  approve(item: Item): void
  reject(item: Item, options?: { message?: string }): void
}

/** Where the calls of a run are asked for. */
export interface RunOptions {
  readonly sessionId: string
  /**
   * The `parameters` of each tool that are a Zod schema, by name: its guard is given what they make of the arguments,
   * so that is asked for. Asked for as the model wrote it, an argument that the schema strips would have the guard
   * refuse what was approved. Tools with a JSON schema are given what the model wrote.
   */
  readonly parameters: Readonly<Record<string, { parseAsync(input: unknown): Promise<unknown> }>>
  /**
   * Names of function tools that no guard holds back, as agents that are tools, and tools of MCP servers that the SDK
   * calls itself. Their approvals are spent here, as those of all tools that are no functions. The tool of a
   * `toolNamespace` is `<namespace>.<tool>`, here and in `parameters`; a call of one that is in neither, where its name
   * alone is here, throws.
   */
  readonly unguarded?: readonly string[]
  /** Ends the wait; the cases stay open. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks people for all calls that the run stopped for, at once, and approves or rejects them in its state; false where
 * it stopped for none. Arguments that the tool would refuse are rejected unasked. The tool of a hosted MCP server is
 * named with the server's label, `mcp_<label>.<tool>`. Save the state before, by `state.toString()`: a restarted model
 * makes other calls. What is approved for a tool without a guard is spent, so that the same state, resumed again,
 * doesn't run it again: save the state with its approvals nowhere.
 */
export async function resolveInterruptions<Item extends InterruptionLike>(
  reviews: Reviews,
  state: RunStateLike<Item>,
  { sessionId, parameters, unguarded = [], signal }: RunOptions,
): Promise<boolean> {
  const items = state.getInterruptions()
  for (const item of items) requireWholeName(item, unguarded, parameters)
  const texts = new Map(items.map((item) => [item, actingOf(item)]))
  /** Whether the SDK would still run what people saw: the application may change it while they look. */
  const isSame = (item: Item) => texts.get(item) !== null && texts.get(item) === actingOf(item)
  const asked = items.map(async (item) => {
    const { rawItem } = item
    const callId = callIdOf(rawItem)
    const { name, arguments: text } = ofServer(rawItem) ?? item
    if (callId === null || !name) return { item, reason: unnamed }
    const read = isHosted(rawItem) ? asWritten : parsed
    const made = text === undefined ? copyIn(rawItem) : read(text)
    const isLocal = !isHosted(rawItem) && Object.hasOwn(parameters, name)
    const schema = isLocal ? parameters[name] : undefined
    const given = schema ? await inputOf(schema, made) : { input: made }
    if (!given) return { item, reason: unfit }
    const call = { sessionId, callId, name, ...given }
    return { item, call, verdict: await reviews.ask(call, { signal }) }
  })
  const all = createTogether(signal)
  // Once all are decided: nothing is spent for a run that is left while people look, or while approvals are claimed.
  const spent = (await Promise.all(asked)).map(async ({ item, call, verdict, reason = '' }) => {
    if (!verdict) return { item, approved: false, reason }
    const isGuarded = typeOf(item.rawItem) === 'function_call' && !unguarded.includes(call.name)
    if (isGuarded) return { item, ...verdict }
    if (verdict.approved && !isSame(item)) return { item, ...changedVerdict(verdict) }
    const { together, left } = all.join()
    const spending = reviews.spend(call, verdict, { signal, together }).finally(left)
    return { item, ...(await spending) }
  })
  for (const { item, approved, reason } of await Promise.all(spent))
    if (approved && isSame(item)) state.approve(item)
    else state.reject(item, { message: approved ? changedReason : reason })
  return items.length > 0
}

/** A copy of an item, whose status may change; what is no JSON itself, which nobody is asked about. */
function copyIn(rawItem: object): unknown {
  try {
    return jsonOf(rawItem)
  } catch {
    return rawItem
  }
}

/**
 * What acts of an interruption as it is now, each member by itself, for an item may inherit one. Of an item without
 * arguments that is all of it but its status. Null where it can not be written.
 */
function actingOf({ name, arguments: text, rawItem }: InterruptionLike): string | null {
  const item = rawItem as Readonly<Record<string, unknown>>
  const provided: typeof item = isHosted(rawItem) ? Object(item.providerData) : {}
  const texts = [
    ...[name, text],
    ...['type', 'callId', 'id', 'name', 'namespace', 'arguments'].map((each) => item[each]),
    ...['server_label', 'name', 'arguments', 'id', 'itemId'].map((each) => provided[each]),
  ]
  if (texts.some((each) => typeof (each ?? '') !== 'string')) return null
  const { status: _, ...shown } = item
  try {
    const isWhole = text === undefined && !ofServer(rawItem)
    const whole = isWhole ? canonicalize(jsonOf(shown)) : null
    return JSON.stringify([...texts, whole])
  } catch {
    return null
  }
}

/**
 * Throws where a tool that runs without a guard may be listed without its namespace: its approval would not be spent.
 */
function requireWholeName(
  { name: whole = '', rawItem }: InterruptionLike,
  unguarded: readonly string[],
  parameters: RunOptions['parameters'],
): void {
  const { name } = rawItem as { readonly name?: unknown }
  if (typeOf(rawItem) !== 'function_call' || typeof name !== 'string' || whole === name) return
  const isKnown = unguarded.includes(whole) || Object.hasOwn(parameters, whole)
  if (unguarded.includes(name) && !isKnown)
    throw new TypeError(`unguarded: expected ${whole}, got ${name}; or ${whole} in parameters`)
}

const unnamed = 'The call has no id or no name; it was not made.'
const unfit = 'The arguments are not what the tool takes; the call was not made.'

/** What a tool is given of these arguments; null where its schema refuses them. */
function inputOf(
  schema: RunOptions['parameters'][string],
  made: unknown,
): Promise<{ readonly input: unknown } | null> {
  return schema.parseAsync(made).then(
    (input) => ({ input }),
    () => null,
  )
}

/** Whether the model's provider runs the call: with what the model wrote, though a tool here may have its name. */
function isHosted(rawItem: object): boolean {
  return typeOf(rawItem) === 'hosted_tool_call'
}

/**
 * A call that a hosted MCP server is to answer, by the SDK's qualified name of its tool: two servers may have tools of
 * one name. Null for any other call.
 */
function ofServer(rawItem: object) {
  const { providerData } = rawItem as { readonly providerData?: Readonly<Record<string, unknown>> }
  const { server_label: label, name: tool, arguments: text } = providerData ?? {}
  const isAsked = typeof label === 'string' && typeof tool === 'string' && typeof text === 'string'
  return isHosted(rawItem) && isAsked ? { name: `mcp_${label}.${tool}`, arguments: text } : null
}

const typeOf = (rawItem: object) => (rawItem as { readonly type?: unknown }).type

function callIdOf(rawItem: object): string | null {
  const { callId, id } = rawItem as { readonly callId?: unknown; readonly id?: unknown }
  if (typeof callId === 'string') return callId
  return typeof id === 'string' ? id : null
}

/** Finds the ids of a call among the arguments of `execute`, for `reviews.guard`. */
export function idsOfDetails(sessionId: string) {
  return (
    _: unknown,
    __?: unknown,
    details?: {
      readonly toolCall?: object | undefined
      readonly signal?: AbortSignal | undefined
    },
  ): CallIds => {
    const callId = details?.toolCall && callIdOf(details.toolCall)
    if (!callId) throw new TypeError('expected the id of the tool call, got none')
    return { sessionId, callId, signal: details?.signal }
  }
}

/**
 * An `errorFunction` of a guarded tool: the model hears why a call was held back, and of other errors that there was
 * one.
 */
export function toldToModel(_: unknown, error: unknown): string {
  return error instanceof NotRun ? error.message : 'An error occurred while running the tool.'
}
