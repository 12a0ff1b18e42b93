import { copyMembers } from '@countersign/client'
import { canonicalize } from '@countersign/core/canonical'
import type { AskedCall, CallsById } from './sealed-approvals.ts'
import { copyOf, jsonOf } from './tool-call.ts'

/** What of a part of a prompt is looked at. */
interface PartLike {
  readonly type: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
}

/** A message of a prompt, as far as its calls go. */
export interface MessageLike {
  readonly content: string | readonly object[]
}

/**
 * The messages of a prompt with copies of their calls, these calls, and whether it has the result of one. Each is read
 * once, however many approvals ask: whoever posts a history may have written as many of both. The application may
 * change its messages while people look: what was looked at is what has to be sent.
 */
export function callsIn<M extends MessageLike>(prompt: readonly M[]) {
  /** Copies whose input is the application's own. */
  const uncopied = new WeakSet<object>()
  const copied = (part: object) => {
    const own = copyMembers(part)
    const copy = copyOfPart(own)
    if (!copy) uncopied.add(own)
    return copy ?? own
  }
  const messages = prompt.map((message) => {
    const own = copyMembers(message)
    const { content } = own
    return typeof content === 'string' ? own : { ...own, content: Array.from(content, copied) }
  })
  const parts = messages.flatMap(({ content }, nth) =>
    typeof content === 'string'
      ? []
      : content.map((part) => {
          const { type, toolCallId, toolName, input } = part as PartLike
          return { type, toolCallId, toolName, nth, input: uncopied.has(part) ? noJson : input }
        }),
  )
  const calls = parts.flatMap(({ type, nth, toolCallId, toolName, input = null }) =>
    type === 'tool-call' && toolCallId !== undefined && toolName !== undefined
      ? [{ nth, toolCallId, toolName, input }]
      : [],
  )
  const texts = new Map<AskedCall, string | null>()
  /** Tool and arguments of a call; null where these are no JSON, which are the same as no others. */
  const textOf = (call: AskedCall) => {
    const text = texts.get(call) ?? written(call)
    texts.set(call, text)
    return text
  }
  const isSame = (one: AskedCall, other: AskedCall) =>
    textOf(one) !== null && textOf(one) === textOf(other)
  const byId = new Map<string, AskedCall[]>()
  for (const call of calls) {
    const known = byId.get(call.toolCallId)
    if (!known) byId.set(call.toolCallId, [call])
    else if (known.length < 2 && !known.some((each) => isSame(each, call))) known.push(call)
  }
  const results = new Set(
    parts.flatMap(({ type, toolCallId }) => (type === 'tool-result' ? [toolCallId] : [])),
  )
  /** Of which message the last call is that has a result, by what it calls. */
  let ran: Map<string, number> | null = null
  const lastRun = (call: AskedCall) => {
    ran ??= new Map(
      calls.flatMap((each) => {
        const text = results.has(each.toolCallId) ? textOf(each) : null
        return text === null ? [] : [[text, each.nth] as const]
      }),
    )
    return ran.get(textOf(call) ?? '') ?? -1
  }
  /**
   * `told`: of which message its approval is. A provider may name what it ran anew, as another call that is the same.
   */
  const hasResult = (call: AskedCall, told: number) =>
    results.has(call.toolCallId) || lastRun(call) > told
  return { messages, byId: byId as CallsById, hasResult }
}

/** No JSON, in the place of what can not be copied: that is sent as it is, and nothing of it is approved. */
const noJson = Number.NaN

/** A part with a copy of its input; null where that can not be copied. */
function copyOfPart(part: object): object | null {
  const { type, input } = part as PartLike
  if (type !== 'tool-call') return part
  try {
    return { ...part, input: copyOf(input) }
  } catch {
    return null
  }
}

function written({ toolName, input }: AskedCall): string | null {
  try {
    return canonicalize([toolName, jsonOf(input)])
  } catch {
    return null
  }
}
