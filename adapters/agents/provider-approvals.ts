import { createMeeting, createTogether } from './meetings.ts'
import type { Reviews } from './options.ts'
import { callsIn, type MessageLike } from './prompt-calls.ts'
import { type AskedCall, createSeals } from './sealed-approvals.ts'
import { NotRun } from './verdict.ts'
import { asWritten, namesIn } from './written-json.ts'

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
  readonly prompt: readonly (MessageLike & { readonly role: string })[]
  readonly abortSignal?: AbortSignal | undefined
}

/** What the provider is told of a call. */
interface Told {
  readonly approved: boolean
  readonly reason?: string
}

/** How a call is held back. */
interface HeldOptions {
  readonly signal: AbortSignal | undefined
  /** Where the calls of a request wait until all are decided, and then until all are claimed and checked. */
  readonly decided: ReturnType<typeof createMeeting>
  readonly spent: ReturnType<typeof createTogether>
}

/** Approvals of a request that are looked at: as many as people are asked for at once. */
const mostApprovals = 64

/** Why nobody is asked about a call whose arguments can not be shown. */
export const unshownReason =
  'The arguments may be read otherwise than they would be shown, so nobody was asked; the call was not made.'

const twiceReason =
  'The messages have another call of the same id, so nobody was asked; the call was not made.'

const unknownReason =
  'The model went on since this call was approved, and no result of it is known. It is not made now.'

/**
 * Middleware of AI SDK 6 and 7 (`wrapLanguageModel`) that stands before the calls which the model's provider runs: no
 * function here can be guarded, so what holds them back is the request that tells the provider of an approval. An id of
 * the provider's is given out with a MAC over the call that the model made, and an approval goes to the provider where
 * its id is of the very call that stands in the messages, and `reviews.run` would run that: a person approved it in
 * this session, and nobody has spent it. It is spent then. Other approvals go out as denials, or not at all, as do all
 * but the newest 64; of one before the model's last answer nobody is asked anew. Put it last in `middleware`: what
 * others change after it, the provider is told unseen. Throws for reviews that know calls by their content, to which
 * the same approval again is another call.
 */
export function approvalMiddleware(
  reviews: Reviews,
  { sessionId, secret }: ApprovalMiddlewareOptions,
) {
  if (reviews.identify === 'content')
    throw new TypeError('expected reviews that know calls by their ids, got identify: content')
  const { idOf, callOf } = createSeals(sessionId, secret)

  /** The part as it is given out. `calls`: those of the answer so far, by their ids. */
  async function givenOut<P extends object>(part: P, calls: Map<string, AskedCall>): Promise<P> {
    const { type, toolCallId = '', toolName = '', input, approvalId = '' } = part as Part
    if (type === 'tool-call') calls.set(toolCallId, { toolCallId, toolName, input: inputOf(input) })
    const call = type === 'tool-approval-request' && calls.get(toolCallId)
    return call ? { ...part, approvalId: await idOf(approvalId, call) } : part
  }

  /** The verdict on what the provider would run, spent. */
  async function heldBack(
    { toolCallId: callId, toolName: name, input }: AskedCall,
    { signal, decided, spent }: HeldOptions,
  ): Promise<Told> {
    // Once all are decided: nothing is spent for a request that is left while people look.
    const { arrived, met: ready } = decided.join()
    // One that is left while its approvals are claimed goes nowhere, and they stay.
    const { together, left } = spent.join()
    const waits = { ready, together, ...(signal && { signal }) }
    // The provider runs what the model wrote, whatever a reviewer would make of it. People are asked of all that it
    // asks, for without a case nothing is spent that shows that it was told.
    const how = { edits: 'tell', isNeeded: true, ...waits } as const
    try {
      return await reviews.run({ sessionId, callId, name, input }, () => ({ approved: true }), how)
    } catch (error) {
      if (error instanceof NotRun) return { approved: false, reason: error.message }
      throw error
    } finally {
      arrived()
      left()
    }
  }

  async function transformParams<P extends PromptLike>({
    params,
  }: {
    readonly params: P
  }): Promise<P> {
    const { prompt, abortSignal } = params
    const ids = prompt.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.flatMap((part) => approvalIdOf(part) ?? []),
    )
    if (ids.length === 0) return params
    const { messages, byId, hasResult } = callsIn(prompt)
    const lastAnswer = prompt.findLastIndex(({ role }) => role === 'assistant')
    const meetings = { decided: createMeeting(abortSignal), spent: createTogether(abortSignal) }
    // Whoever posts a history may write no end of them; the newest stand last.
    const newest = [...new Set(ids)].slice(-mostApprovals)
    const looked = newest.map(async (id) => [id, await callOf(id, byId)] as const)
    const found = new Map(await Promise.all(looked))
    const known = new Set<string>()
    /** A part of the nth message as the provider is told of it; null where it is not. */
    const toldAs = (part: object, nth: number): object | null | Promise<object> => {
      const id = approvalIdOf(part)
      if (id === null) return part
      const { approvalId, call, isShown, isOne } = found.get(id) ?? {}
      if (approvalId === undefined || !call || known.has(approvalId)) return null
      const isApproved = isShown && (part as Part).approved === true
      // A denial would gainsay what came of it. A provider may give its id to another call since.
      if (isApproved && isOne && hasResult(call, nth)) return null
      known.add(approvalId)
      const as = (word: Told) => ({ ...part, approvalId, ...word })
      if (!isShown) return as({ approved: false, reason: unshownReason })
      if (!isApproved) return as({ approved: false })
      // Which of them the provider runs, it alone knows.
      if (!isOne) return as({ approved: false, reason: twiceReason })
      // An earlier request may have told it, or have told it as a denial.
      if (nth < lastAnswer) return as({ approved: false, reason: unknownReason })
      return heldBack(call, { signal: abortSignal, ...meetings }).then(as)
    }
    // All calls join their meetings before the first of them awaits, so that each knows what others it waits for.
    const told = messages.map(async (message, nth) => {
      const { content: parts } = message
      if (typeof parts === 'string') return [message]
      const left = await Promise.all(parts.map((part) => toldAs(part, nth)))
      const content = left.filter((it) => it !== null)
      const isEmptied = content.length === 0 && parts.length > 0
      return isEmptied ? [] : [{ ...message, content }]
    })
    return { ...params, prompt: (await Promise.all(told)).flat() }
  }

  return {
    specificationVersion: 'v3' as const,
    transformParams,
    async wrapGenerate<R extends { readonly content: readonly object[] }>({
      doGenerate,
      params,
    }: {
      readonly doGenerate: () => PromiseLike<R>
      readonly params: PromptLike
    }): Promise<R> {
      const answer = await requestedOnce(params, doGenerate)
      const calls = new Map<string, AskedCall>()
      const content: object[] = []
      for (const part of answer.content) content.push(await givenOut(part, calls))
      return { ...answer, content }
    },
    async wrapStream<R extends { readonly stream: ReadableStream<object> }>({
      doStream,
      params,
    }: {
      readonly doStream: () => PromiseLike<R>
      readonly params: PromptLike
    }): Promise<R> {
      const answer = await requestedOnce(params, doStream)
      const calls = new Map<string, AskedCall>()
      const sealed = new TransformStream<object, object>({
        async transform(part, controller) {
          controller.enqueue(await givenOut(part, calls))
        },
      })
      return { ...answer, stream: answer.stream.pipeThrough(sealed) }
    },
  }
}

/** The id of an approval, as a prompt has it; null for any other part. */
function approvalIdOf(part: object): string | null {
  const { type, approvalId = '' } = part as Part
  return type === 'tool-approval-response' ? approvalId : null
}

/**
 * Makes a request. One that told an approval is not to be repeated as it was, so an error of it says so to the SDK,
 * which would tell the provider a denial the next time, and the model that people denied the call.
 */
async function requestedOnce<R>({ prompt }: PromptLike, request: () => PromiseLike<R>): Promise<R> {
  try {
    return await request()
  } catch (error) {
    const isTold = prompt.some(
      ({ content }) =>
        typeof content !== 'string' &&
        content.some((part) => {
          const { type, approved } = part as Part
          return type === 'tool-approval-response' && approved === true
        }),
    )
    const { isRetryable } = Object(error) as { readonly isRetryable?: unknown }
    if (isTold && isRetryable === true) Reflect.set(error as object, 'isRetryable', false)
    throw error
  }
}

/** What the model wrote as a call's input; as text, where others may read it otherwise. */
function inputOf(input: unknown): unknown {
  if (typeof input !== 'string') return input
  if (input.trim() === '') return {}
  const read = asWritten(input)
  // The SDK takes no names of prototypes, and has the text in the messages.
  const isTaken = [...namesIn(read)].every((name) => !['__proto__', 'constructor'].includes(name))
  return isTaken ? read : input
}
