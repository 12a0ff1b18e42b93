import type { Reviews, ToolCall } from '@countersign/agents'

/** A message of JSON-RPC, as far as a gateway looks at it. */
export interface RpcMessage {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly [member: string]: unknown
}

/** Both ends of a gateway. */
export interface GatewayOptions {
  readonly reviews: Reviews
  readonly sessionId: string
  /** Names of tools that run unasked; `*` stands for any characters. All others ask, also such as appear later. */
  readonly run: readonly string[]
  /** Ms that a call waits for its decision; below the client's own limit, which is 60,000 unless it is told otherwise. */
  readonly waitMs: number
  /** Ms between notifications of progress, for clients that ask for them. */
  readonly progressMs?: number
  toServer(message: RpcMessage): void
  toClient(message: RpcMessage): void
  readonly onProblem?: (text: string) => void
}

/**
 * Stands before an MCP server of any version and holds back its tools' calls until a person has approved each. All other
 * messages pass as they are; what is no JSON-RPC message does not, for a server might read it as one.
 */
export function createGateway(options: GatewayOptions) {
  const { reviews, sessionId, run, waitMs, progressMs = 5_000 } = options
  const { toServer, toClient, onProblem } = options
  const free = run.map(patternOf)
  /** Calls that wait, by the client's id of their request. */
  const waiting = new Map<unknown, AbortController>()

  async function fromClient(read: unknown): Promise<void> {
    // Batches of older versions: each message counts by itself.
    const all: readonly unknown[] = Array.isArray(read) ? read : [read]
    await Promise.all(all.map(one))
  }

  async function one(message: unknown): Promise<void> {
    if (!isObject(message)) return onProblem?.('expected a message of JSON-RPC, got other JSON')
    if (message.method === 'notifications/cancelled') {
      const { requestId } = isObject(message.params) ? message.params : {}
      const left = waiting.get(requestId)
      // A call that the server never saw.
      if (left) return left.abort(new Error('the client left'))
    }
    if (message.method !== 'tools/call') return toServer(message)
    const { name, arguments: input = {} } = isObject(message.params) ? message.params : {}
    if (typeof name !== 'string')
      return toClient(errorOf(message.id, 'expected the name of a tool'))
    if (free.some((pattern) => pattern.test(name))) return toServer(message)
    if (message.id === undefined || waiting.has(message.id))
      return onProblem?.(`expected a call of ${name} with an id of its own`)
    await held(message, { sessionId, callId: '', name, input })
  }

  async function held(message: RpcMessage, call: ToolCall): Promise<void> {
    const left = new AbortController()
    waiting.set(message.id, left)
    const late = AbortSignal.timeout(waitMs)
    const progress = progressOf(message)
    const signal = AbortSignal.any([left.signal, late])
    try {
      const asked = await reviews.ask(call, { signal })
      const { approved, reason } = await reviews.spend(call, asked, { signal: left.signal })
      if (approved) toServer(message)
      else toClient(textOf(message.id, reason))
    } catch (error) {
      // The case stays open; nobody waits for an answer that was cancelled.
      if (left.signal.aborted) return
      const isLate = error === late.reason
      if (!isLate) onProblem?.(String(error))
      const text = isLate
        ? 'A person is asked and has not decided yet. Make exactly the same call again later.'
        : 'No reviewer could be asked; the call was not made.'
      toClient(textOf(message.id, text))
    } finally {
      clearInterval(progress)
      waiting.delete(message.id)
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

  return { fromClient, close }
}

/** A pattern in which `*` stands for any characters. */
function patternOf(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const textOf = (id: unknown, text: string): RpcMessage => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }], isError: true },
})

const errorOf = (id: unknown, message: string): RpcMessage => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code: -32_602, message },
})
