import type { Client } from '@countersign/client'
import { createReviews } from '../reviews.ts'
import type { CallVerdict } from '../verdict.ts'

/** How the hook runs. */
export interface HookOptions {
  /** An interactive session ignores `defer`: calls are denied until there is an approval, and found by their content. */
  readonly interactive: boolean
  readonly onProblem: (text: string) => void
}

/** What the hook answers. */
export interface HookAnswer {
  readonly hookSpecificOutput: {
    readonly hookEventName: 'PreToolUse'
    readonly permissionDecision: 'allow' | 'deny' | 'defer'
    readonly permissionDecisionReason: string
  }
}

/** Decides what Claude may run, by the input of a `PreToolUse` hook. An approval is spent before it is told. */
export async function decideHook(
  client: Client,
  input: unknown,
  { interactive, onProblem }: HookOptions,
): Promise<HookAnswer> {
  const { session_id, tool_use_id, tool_name, tool_input } = (input ?? {}) as Readonly<
    Record<string, unknown>
  >
  const hasIds = typeof session_id === 'string' && typeof tool_name === 'string'
  const hasCallId = typeof tool_use_id === 'string' && tool_use_id !== ''
  if (!hasIds || !(interactive || hasCallId)) return answerOf('deny', 'The hook was given no call.')
  const reviews = createReviews(client, {
    tools: {},
    others: 'ask',
    identify: interactive ? 'content' : 'call',
    onProblem: ({ code, error }) => onProblem(`${code}: ${String(error)}`),
  })
  const callId = hasCallId ? tool_use_id : ''
  const call = { sessionId: session_id, callId, name: tool_name, input: tool_input }
  const found = await reviews.check(call)
  if (!found)
    return interactive
      ? answerOf('deny', 'A person is asked; make the same call again later.')
      : answerOf('defer', 'A person is asked.')
  const verdict: CallVerdict = await reviews.spend(call, found)
  return answerOf(verdict.approved ? 'allow' : 'deny', verdict.reason)
}

/** The answer in the form that Claude reads. */
export function answerOf(
  permissionDecision: 'allow' | 'deny' | 'defer',
  permissionDecisionReason: string,
): HookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason,
    },
  }
}
