import { canonicalize } from '@countersign/core/canonical'
import type { Reviews } from './options.ts'
import { jsonOf } from './tool-call.ts'
import { NotRun } from './verdict.ts'
import { asWritten } from './written-json.ts'

/** What approvals are held to. */
export interface ApprovalMiddlewareOptions {
  readonly sessionId: string
  /** Key of the MAC in the ids of approvals: the same in all processes of the conversation, at least 32 characters. */
  readonly secret: string
}

/** What of a part is looked at: of an answer's content, of its stream, and of a prompt. */
interface Part {
  readonly type: string
  readonly approvalId?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
  readonly approved?: boolean
  readonly reason?: string | undefined
}

/** What of a request to a model is looked at. */
interface PromptLike {
  readonly prompt: readonly {
    readonly role: string
    readonly content: string | readonly object[]
  }[]
  readonly abortSignal?: AbortSignal | undefined
}

/** A call as its id is made of it. */
type Call = Required<Pick<Part, 'toolCallId' | 'toolName' | 'input'>>

/**
 * Middleware of AI SDK 6 and 7 (`wrapLanguageModel`) that stands before the calls which the model's provider runs: no
 * function here can be guarded, so what holds them back is the request that tells the provider of an approval. An id of
 * the provider's is given out with a MAC over the call that the model made, and an approval goes to the provider where its
 * id is of the very call that stands in the messages, and `reviews.run` would run that: a person approved it in this
 * session, and nobody has spent it. It is spent then. Other approvals go out as denials, or not at all. Put it last in
 * `middleware`: what others change after it, the provider is told unseen.
 */
export function approvalMiddleware(
  reviews: Reviews,
  { sessionId, secret }: ApprovalMiddlewareOptions,
) {
  const { idOf, callOf } = sealing(sessionId, secret)

  /** The part as it is given out. `calls`: those of the answer so far, by their ids. */
  async function givenOut<P extends object>(part: P, calls: Map<string, Call>): Promise<P> {
    const { type, toolCallId = '', toolName = '', input, approvalId = '' } = part as Part
    if (type === 'tool-call') calls.set(toolCallId, { toolCallId, toolName, input: inputOf(input) })
    const call = type === 'tool-approval-request' && calls.get(toolCallId)
    // What the provider may read otherwise is given out as it is, and approved by nobody.
    if (!call || typeof call.input === 'string') return part
    return { ...part, approvalId: await idOf(approvalId, call) }
  }

  /** The verdict on what the provider would run, spent. */
  async function heldBack(
    { toolCallId: callId, toolName: name, input }: Call,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly approved: boolean; readonly reason?: string }> {
    try {
      const given = signal ? { signal } : {}
      const call = { sessionId, callId, name, input }
      return await reviews.run(call, ({ edited }) => toldOf(edited), given)
    } catch (error) {
      if (error instanceof NotRun) return { approved: false, reason: error.message }
      throw error
    }
  }

  async function transformParams<P extends PromptLike>({
    params,
  }: {
    readonly params: P
  }): Promise<P> {
    const { prompt, abortSignal } = params
    const parts = prompt.flatMap(({ content }) =>
      typeof content === 'string' ? [] : (content as readonly Part[]),
    )
    const calls = parts.flatMap(({ type, toolCallId, toolName, input = null }) =>
      type === 'tool-call' && toolCallId !== undefined && toolName !== undefined
        ? [{ toolCallId, toolName, input }]
        : [],
    )
    const hasResult = (id: string) =>
      parts.some(({ type, toolCallId }) => type === 'tool-result' && toolCallId === id)
    const told = new Set<string>()
    /** The response as the provider is told of it; null where it is not. */
    const toldAs = async (part: object): Promise<object | null> => {
      const { type, approvalId: id = '', approved } = part as Part
      if (type !== 'tool-approval-response') return part
      if (told.has(id)) return null
      told.add(id)
      const found = await callOf(id, calls)
      if (!found) return null
      const { approvalId, call } = found
      if (approved !== true) return { ...part, approvalId }
      // It was told before: what came of it is there.
      if (hasResult(call.toolCallId)) return null
      return { ...part, approvalId, ...(await heldBack(call, abortSignal)) }
    }
    const messages = prompt.map(async (message) => {
      if (typeof message.content === 'string') return [message]
      const content = (await Promise.all(message.content.map(toldAs))).filter((it) => it !== null)
      const isEmptied = content.length === 0 && message.content.length > 0
      return isEmptied ? [] : [{ ...message, content }]
    })
    return { ...params, prompt: (await Promise.all(messages)).flat() }
  }

  return {
    specificationVersion: 'v3' as const,
    transformParams,
    async wrapGenerate<R extends { readonly content: readonly object[] }>({
      doGenerate,
    }: {
      readonly doGenerate: () => PromiseLike<R>
    }): Promise<R> {
      const answer = await doGenerate()
      const calls = new Map<string, Call>()
      const content: object[] = []
      for (const part of answer.content) content.push(await givenOut(part, calls))
      return { ...answer, content }
    },
    async wrapStream<R extends { readonly stream: ReadableStream<object> }>({
      doStream,
    }: {
      readonly doStream: () => PromiseLike<R>
    }): Promise<R> {
      const answer = await doStream()
      const calls = new Map<string, Call>()
      const sealed = new TransformStream<object, object>({
        async transform(part, controller) {
          controller.enqueue(await givenOut(part, calls))
        },
      })
      return { ...answer, stream: answer.stream.pipeThrough(sealed) }
    },
  }
}

/** Whether an id of an approval is one that `approvalMiddleware` gave out, by its form. */
export function isSealed(approvalId: string): boolean {
  return sealedForm.test(approvalId)
}

/** What the provider is told of a call that was approved; it runs what the model wrote, whatever a reviewer made of that. */
function toldOf(edited: unknown): { readonly approved: boolean; readonly reason?: string } {
  if (edited === undefined) return { approved: true }
  const reason =
    'A reviewer approved other arguments, with which the provider can not run the call.'
  return { approved: false, reason }
}

/** What the model wrote as a call's input; as text, where others may read it otherwise. */
function inputOf(input: unknown): unknown {
  if (typeof input !== 'string') return input
  return input.trim() === '' ? {} : asWritten(input)
}

const sealedForm = /^(.+)\.([0-9a-f]{64})$/s

/** Creates what gives out ids of approvals with a MAC over their calls, and finds the calls of such. */
function sealing(sessionId: string, secret: string) {
  if (secret.length < 32) throw new RangeError('secret: expected at least 32 characters')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = crypto
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const keyed = subtle.importKey('raw', bytesOf(secret), hmac, false, ['sign', 'verify'])
  /** What the MAC is over; null for a call that is no JSON. */
  const textOf = (approvalId: string, { toolCallId, toolName, input }: Call) => {
    try {
      const parts = [sessionId, approvalId, toolCallId, toolName, jsonOf(input)]
      return bytesOf(canonicalize(parts))
    } catch {
      return null
    }
  }

  return {
    async idOf(approvalId: string, call: Call): Promise<string> {
      const text = textOf(approvalId, call)
      if (!text) return approvalId
      const mac = await subtle.sign('HMAC', await keyed, text)
      const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, '0'))
      return `${approvalId}.${hex.join('')}`
    },
    /** The call of which an id was given out, and the provider's own id of it; null where it is of none of these. */
    async callOf(
      id: string,
      calls: readonly Call[],
    ): Promise<{ readonly approvalId: string; readonly call: Call } | null> {
      const [, approvalId, hex] = sealedForm.exec(id) ?? []
      if (approvalId === undefined || hex === undefined) return null
      const mac = Uint8Array.from(hex.match(/../g) ?? [], (each) => Number.parseInt(each, 16))
      for (const call of calls) {
        const text = textOf(approvalId, call)
        if (text && (await subtle.verify('HMAC', await keyed, mac, text)))
          return { approvalId, call }
      }
      return null
    },
  }
}
