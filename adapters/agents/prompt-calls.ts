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
 * The calls of a prompt, copied, and whether it has the result of one. Each is read once, however many approvals ask: whoever
 * posts a history may have written as many of both, and the application may change its messages while people look.
 */
export function callsIn(prompt: readonly MessageLike[]) {
  const parts = prompt.flatMap(({ content }, nth) =>
    typeof content === 'string' ? [] : content.map((part) => ({ ...(part as PartLike), nth })),
  )
  const calls = parts.flatMap(({ type, nth, toolCallId, toolName, input = null }) =>
    type === 'tool-call' && toolCallId !== undefined && toolName !== undefined
      ? [{ nth, toolCallId, toolName, input: copied(input) }]
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
  /** `told`: of which message its approval is. A provider may name what it ran anew, as another call that is the same. */
  const hasResult = (call: AskedCall, told: number) =>
    results.has(call.toolCallId) || lastRun(call) > told
  return { byId: byId as CallsById, hasResult }
}

/** No JSON, in the place of what can not be copied. */
const uncopied = Number.NaN

function copied(input: unknown): unknown {
  try {
    return copyOf(input)
  } catch {
    return uncopied
  }
}

function written({ toolName, input }: AskedCall): string | null {
  try {
    return canonicalize([toolName, jsonOf(input)])
  } catch {
    return null
  }
}
