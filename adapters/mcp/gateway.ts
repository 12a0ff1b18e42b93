import type { Reviews, ToolCall } from '@countersign/agents'
import { refusalOf, type ToolAnswer, tasksDeclared } from './case-answers.ts'
import type { ActOn, CaseTasks } from './case-tasks.ts'
import { isTooDeep, tooDeepText } from './json-levels.ts'
import {
  callOf,
  errorInPlaceOf,
  errorOf,
  isObject,
  isOfTask,
  isRequest,
  isSpelt,
  messageOf,
  metaOf,
  misspeltIn,
  type RpcMessage,
  resultOf,
  textOf,
  unseenIn,
  withoutTasks,
  writtenCopy,
} from './rpc-messages.ts'
import { tell } from './session-cases.ts'

/** Both ends of a gateway. */
export interface GatewayOptions {
  readonly reviews: Reviews
  readonly sessionId: string
  /** Names of tools that run unasked; `*` stands for any characters. All others ask, also such as appear later. */
  readonly run: readonly string[]
  /**
   * Ms that a call waits for its decision; below the client's own limit, which is 60,000 unless it is told otherwise.
   */
  readonly waitMs: number
  /** Ms between notifications of progress, for clients that ask for them. */
  readonly progressMs?: number
  /** For clients that declare the tasks extension, to which a call that is held back is a task. */
  readonly tasks?: CaseTasks
  toServer(message: RpcMessage): void
  toClient(message: RpcMessage): void
  readonly onProblem?: (text: string) => void
}

/**
 * Stands before an MCP server of any version and holds back its tools' calls until a person has approved each. All
 * other messages pass as they are; what is no JSON-RPC message does not, for a server might read it as one.
 */
export function createGateway(options: GatewayOptions) {
  const { reviews, sessionId, run, waitMs, progressMs = 5_000, tasks } = options
  const { toServer, toClient } = options
  const problem = (text: string) => tell(options.onProblem, text)
  const free = run.map(patternOf)
  /** Calls that wait, by the client's id of their request. */
  const waiting = new Map<unknown, AbortController>()
  /** Before the ids of the gateway's own calls to the server, which its client does not know. */
  const ownIds = `countersign-${crypto.randomUUID()}-`
  /** Those that have no answer yet, by their ids. */
  const own = new Map<string, (answer: RpcMessage) => void>()

  async function fromClient(read: unknown): Promise<void> {
    // Batches of older versions: each message counts by itself.
    const all: readonly unknown[] = Array.isArray(read) ? read : [read]
    await Promise.all(all.map((each) => copied(each)))
  }

  async function copied(read: unknown): Promise<void> {
    let copy: unknown
    try {
      // A copy, which is looked at and sent: whoever read the messages may keep them. As text, for what can not be
      // written is not asked for, and no approval is spent for it.
      copy = writtenCopy(read)
    } catch (error) {
      problem(String(error))
      const told = errorInPlaceOf(read, isTooDeep(read) ? tooDeepText : 'expected JSON')
      if (!told) return
      // In the place of an answer it goes to the server, which waits for that.
      return isRequest(read) ? toClient(told) : one(told)
    }
    await one(messageOf(copy))
  }

  async function one(message: RpcMessage | null): Promise<void> {
    if (!message) return problem('expected a message of JSON-RPC, got other JSON')
    const { id, method } = message
    if (typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER) {
      const text = 'expected an id as text, or below 2^53'
      problem(text)
      return method === undefined ? undefined : toClient(errorOf(null, text))
    }
    if (typeof method === 'string' && method !== 'tools/call' && isSpelt(method, 'tools/call'))
      return toClient(errorOf(id, `expected the method tools/call, got ${method}`))
    if (message.method === 'notifications/cancelled') {
      const { requestId } = isObject(message.params) ? message.params : {}
      const left = waiting.get(requestId)
      // A call that the server never saw.
      if (left) return left.abort(new Error('the client left'))
    }
    // Others are looked at in the order in which they come: a cancellation may follow its call at once.
    if (tasks && isOfTask(message) && (await isOurTask(tasks, message))) return
    if (message.method !== 'tools/call') return toServer(message)
    const { name, arguments: input = {} } = isObject(message.params) ? message.params : {}
    if (typeof name !== 'string')
      return toClient(errorOf(message.id, 'expected the name of a tool'))
    const misspelt = misspeltIn(message)
    if (misspelt.length > 0)
      return toClient(errorOf(message.id, `expected name and arguments, got ${misspelt}`))
    if (name.length > longestName)
      return toClient(errorOf(message.id, `expected a name of at most ${longestName} characters`))
    if (free.some((isFree) => isFree(name))) return toServer(message)
    if (message.id === undefined || waiting.has(message.id))
      return problem(`expected a call of ${name} with an id of its own`)
    const unseen = unseenIn(message)
    if (unseen.length > 0) {
      const text = `a call that a person approves has no parameters that they don't see: ${unseen}`
      return toClient(errorOf(message.id, text))
    }
    const call = { sessionId, callId: '', name, input }
    if (tasks && tasksDeclared(metaOf(message)))
      return toClient(resultOf(message.id, await tasks.start(call)))
    await held(message, call)
  }

  /** Answers a request about a task of the gateway's; false for any other, such as one of the server's own tasks. */
  async function isOurTask(known: CaseTasks, message: RpcMessage): Promise<boolean> {
    const { id, method, params } = message
    const { taskId, inputResponses } = isObject(params) ? params : {}
    if (typeof taskId !== 'string') return false
    const acts: Readonly<Record<string, () => ReturnType<CaseTasks['get']>>> = {
      'tasks/get': () => known.get(taskId, actFor(message)),
      'tasks/update': () => known.update(taskId, inputResponses),
      'tasks/cancel': () => known.cancel(taskId),
    }
    const act = typeof method === 'string' && Object.hasOwn(acts, method) ? acts[method] : null
    if (!act) return false
    try {
      const told = await act()
      if (told) toClient(resultOf(id, told))
      return told !== null
    } catch (error) {
      problem(String(error))
      toClient(errorOf(id, 'the service could not be asked; ask again later'))
      return true
    }
  }

  /** Calls a tool of the server, in the name of the client that made this request. */
  function actFor(message: RpcMessage): ActOn {
    const meta = withoutTasks(metaOf(message))
    return async ({ tool, arguments: input }) => {
      const id = `${ownIds}${crypto.randomUUID()}`
      const answered = new Promise<RpcMessage>((resolve) => own.set(id, resolve))
      const params = { name: tool, arguments: input, ...meta }
      toServer({ jsonrpc: '2.0', id, method: 'tools/call', params })
      const { result, error } = await answered
      if (isObject(result)) return result as unknown as ToolAnswer
      const { message: why = 'The server refused the call.' } = isObject(error) ? error : {}
      return refusalOf(String(why))
    }
  }

  /**
   * Takes the answers to calls of the gateway's own, of which the first counts, and what has too many levels; false for
   * what is the client's. Of a batch with both, it hands on the rest.
   */
  function fromServer(message: unknown): boolean {
    if (!Array.isArray(message)) return take(message)
    const left: unknown[] = message.filter((each) => !take(each))
    if (left.length === message.length) return false
    for (const each of left) if (isObject(each)) toClient(each)
    return true
  }

  function take(message: unknown): boolean {
    if (!isTooDeep(message)) return isTaken(message)
    problem(`the server's message: ${tooDeepText}`)
    const told = errorInPlaceOf(message, tooDeepText)
    if (told && isRequest(message)) toServer(told)
    else if (told && !isTaken(told)) toClient(told)
    return true
  }

  function isTaken(message: unknown): boolean {
    if (!isObject(message) || message.method !== undefined) return false
    const { id } = message
    if (typeof id !== 'string' || !id.startsWith(ownIds)) return false
    own.get(id)?.(message)
    own.delete(id)
    return true
  }

  async function held(message: RpcMessage, call: ToolCall): Promise<void> {
    const left = new AbortController()
    waiting.set(message.id, left)
    const late = new AbortController()
    const patience = setTimeout(() => late.abort(), waitMs)
    const progress = progressOf(message)
    const signal = AbortSignal.any([left.signal, late.signal])
    try {
      const { approved, reason } = await spent(call, signal)
      // Nothing runs that nobody waits for.
      if (approved && left.signal.aborted)
        problem(`an approval of ${call.name} was spent, and its client had left`)
      else if (left.signal.aborted) return
      else if (approved) toServer(callOf(message, call))
      else toClient(textOf(message.id, reason))
    } catch (error) {
      // The case stays open; nobody waits for an answer that was cancelled.
      if (left.signal.aborted) return
      const isLate = error === late.signal.reason
      if (!isLate) problem(String(error))
      const text = isLate
        ? 'A person is asked and has not decided yet. Make exactly the same call again later.'
        : 'No reviewer could be asked; the call was not made.'
      toClient(textOf(message.id, text))
    } finally {
      clearTimeout(patience)
      clearInterval(progress)
      waiting.delete(message.id)
    }
  }

  /**
   * The verdict on a call whose approval is its own now: one that the same call spent meanwhile is not, nor one past
   * its deadline, so it asks anew. Of one that is late, or whose client left, the approval stays for the same call.
   */
  async function spent(call: ToolCall, signal: AbortSignal) {
    let before: string | null = null
    for (;;) {
      const asked = await reviews.ask(call, { signal })
      const verdict = await reviews.spend(call, asked, { signal })
      const reviewCaseId = verdict.outcome?.reviewCaseId ?? null
      // Reviews that know calls by their ids find the same case for ever.
      const isOver = asked.approved && (verdict.code === 'spent' || verdict.code === 'expired')
      if (!isOver || reviewCaseId === before) return verdict
      before = reviewCaseId
    }
  }

  function progressOf({ params }: RpcMessage) {
    const { _meta: meta } = isObject(params) ? params : {}
    const progressToken = isObject(meta) ? meta.progressToken : undefined
    if (progressToken === undefined) return undefined
    let progress = 0
    return setInterval(() => {
      progress++
      const told = { progressToken, progress, message: 'A person is asked.' }
      toClient({ jsonrpc: '2.0', method: 'notifications/progress', params: told })
    }, progressMs)
  }

  /** Ends all waits; the cases stay open. */
  function close(): void {
    for (const left of waiting.values()) left.abort(new Error('the gateway closes'))
  }

  return { fromClient, fromServer, close }
}

/** Characters of a tool's name, as MCP has it. */
const longestName = 128

/**
 * Whether a name matches a pattern, in which `*` stands for any characters. Each part is looked for once, from where
 * the one before it was found first.
 */
function patternOf(text: string): (name: string) => boolean {
  const [first = '', ...rest] = text.split('*')
  const last = rest.pop()
  if (last === undefined) return (name) => name === first
  return (name) => {
    const end = name.length - last.length
    let at = first.length
    if (at > end || !name.startsWith(first) || !name.endsWith(last)) return false
    for (const part of rest) {
      const found = name.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= end
  }
}
