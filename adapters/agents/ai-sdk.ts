import type { Reviews } from './options.ts'
import { unshownReason } from './provider-approvals.ts'
import { sealOf } from './sealed-approvals.ts'
import type { CallIds } from './tool-call.ts'
import type { CallVerdict } from './verdict.ts'

export { type ApprovalMiddlewareOptions, approvalMiddleware } from './provider-approvals.ts'

/** A conversation whose calls are asked for. */
export interface Conversation {
  readonly sessionId: string
  /** Ends the wait; the cases stay open. */
  readonly signal?: AbortSignal | undefined
}

/** What of a message is looked at: the parts of the assistant's and of the tools' messages. */
export interface MessageLike {
  readonly role: string
  readonly content: string | readonly PartLike[]
}

/** What of a part is looked at. */
export interface PartLike {
  readonly type: string
  readonly approvalId?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
  /** Of a call that the model's provider runs. */
  readonly providerExecuted?: boolean | undefined
}

/** Answers to calls that the SDK handed out, as its next message. */
export interface ApprovalAnswers {
  role: 'tool'
  content: {
    type: 'tool-approval-response'
    approvalId: string
    approved: boolean
    reason: string
    /** Without it, the provider is not told. */
    providerExecuted?: true
  }[]
}

/**
 * Asks people for the calls that wait in the model's last message, all at once, and for those before it that the
 * model's provider asked of and nobody answered; resolves to the message that answers them, null where none waits. Save
 * the messages before: a restarted model makes other calls, which are other cases. A call that the model's provider
 * runs is denied unless the model has `approvalMiddleware`, which holds it back and spends its approval, and one whose
 * arguments can not be shown as the provider may read them.
 */
export async function answerApprovals(
  reviews: Reviews,
  messages: readonly MessageLike[],
  { sessionId, signal }: Conversation,
): Promise<ApprovalAnswers | null> {
  const last = messages.findLastIndex(({ role }) => role !== 'tool')
  const partsOf = ({ content }: MessageLike) => (typeof content === 'string' ? [] : content)
  /** Where the last answer to an approval, and the last result of a call, stands. */
  const [answeredAt, resultAt] = [new Map<string, number>(), new Map<string, number>()]
  for (const [nth, message] of messages.entries())
    for (const { type, approvalId = '', toolCallId = '' } of partsOf(message)) {
      if (type === 'tool-approval-response') answeredAt.set(approvalId, nth)
      if (type === 'tool-result') resultAt.set(toolCallId, nth)
    }
  const isAfter = (at: number | undefined, nth: number) => at !== undefined && at >= nth
  const waiting = messages.flatMap((message, nth) => {
    if (message.role !== 'assistant') return []
    const parts = partsOf(message)
    // The first of an id; by a search for each request, a long history would block the process.
    const calls = new Map<string, PartLike>()
    for (const part of parts)
      if (part.type === 'tool-call' && !calls.has(part.toolCallId ?? ''))
        calls.set(part.toolCallId ?? '', part)
    return parts.flatMap(({ type, approvalId, toolCallId }) => {
      if (type !== 'tool-approval-request' || approvalId === undefined) return []
      if (isAfter(answeredAt.get(approvalId), nth)) return []
      const made = calls.get(toolCallId ?? '')
      // The provider takes an answer later; the SDK runs a function in the step after its call alone.
      const isOpen =
        made?.providerExecuted === true && !isAfter(resultAt.get(toolCallId ?? ''), nth)
      return nth === last || isOpen ? [{ approvalId, made }] : []
    })
  })
  if (waiting.length === 0) return null
  // Whoever writes a history asks for no end of cases by it; the newest calls stand last.
  const newest = new Set([...new Set(waiting.map(({ made }) => made))].slice(-mostAsked))
  // A call is asked for once: a history may have any number of requests that name it.
  const verdicts = new Map<PartLike, Promise<CallVerdict>>()
  const answers = waiting.map(async ({ approvalId, made }) => {
    const type = 'tool-approval-response' as const
    const { toolCallId: callId, toolName: name, input, providerExecuted } = made ?? {}
    if (!made || callId === undefined || name === undefined)
      return { type, approvalId, approved: false, reason: 'There is no such call.' }
    const toProvider = providerExecuted && { providerExecuted }
    if (!newest.has(made))
      return { type, approvalId, approved: false, reason: tooMany, ...toProvider }
    const seal = providerExecuted ? sealOf(approvalId) : 'shown'
    if (seal !== 'shown') {
      const reason = seal === null ? unheld : unshownReason
      return { type, approvalId, approved: false, reason, ...toProvider }
    }
    const call = { sessionId, callId, name, input }
    const verdict = verdicts.get(made) ?? reviews.ask(call, { signal })
    verdicts.set(made, verdict)
    const { approved, reason } = await verdict
    return { type, approvalId, approved, reason, ...toProvider }
  })
  return { role: 'tool', content: await Promise.all(answers) }
}

/** Calls that people are asked of at once: more than a model makes in a step. */
const mostAsked = 64
const tooMany = `More than ${mostAsked} calls wait, so nobody was asked about this one; the call was not made.`

const unheld =
  'The provider would run this call, and no middleware holds that back (approvalMiddleware); it was not approved.'

/**
 * A `toolApproval` of AI SDK 7 that asks in place: one call of a step after the other, and a stream stands still
 * meanwhile. Guard the tools too: the SDK runs what a message history says was approved. For a call that the model's
 * provider runs there is nothing to ask in place: the provider asks for those that it holds back.
 */
export function toolApproval(reviews: Reviews, { sessionId, signal }: Conversation) {
  return async ({
    toolCall,
  }: {
    readonly toolCall: {
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
      readonly providerExecuted?: boolean | undefined
    }
  }): Promise<
    'not-applicable' | { readonly type: 'approved' | 'denied'; readonly reason: string }
  > => {
    const { toolCallId: callId, toolName: name, input, providerExecuted } = toolCall
    const call = { sessionId, callId, name, input }
    if (providerExecuted || !(await reviews.needs(call, { signal }))) return 'not-applicable'
    const { approved, reason } = await reviews.ask(call, { signal })
    return { type: approved ? 'approved' : 'denied', reason }
  }
}

/** Finds the ids of a call among the arguments of `execute`, for `reviews.guard`. */
export function idsOf(sessionId: string) {
  return (
    _: unknown,
    {
      toolCallId,
      abortSignal,
    }: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): CallIds => ({ sessionId, callId: toolCallId, signal: abortSignal })
}
