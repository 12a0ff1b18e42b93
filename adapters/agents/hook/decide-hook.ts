import type { Client, SignatureCheck } from '@countersign/client'
import type { Reviews } from '../options.ts'
import { type Description, shownIn } from '../present-call.ts'
import { createReviews } from '../reviews.ts'
import { jsonOf } from '../tool-call.ts'

/** How the hook runs. */
export interface HookOptions {
  /**
   * While people look, calls are deferred instead of denied, and found by their ids instead of their content. Claude
   * ignores `defer` in interactive sessions, where it makes several calls in a turn, and before 2.1.89: its own rules
   * and mode then say what runs.
   */
  readonly defers: boolean
  readonly onProblem: (text: string) => void
  /** Counts decisions alone that one of these reviewers signed. */
  readonly reviewers?: SignatureCheck
}

/** The reviews of a hook: the call that it is given asks, and shows the folder that Claude is in. */
export function hookReviews(
  client: Client,
  input: unknown,
  { defers, onProblem, reviewers }: HookOptions,
): Reviews {
  const { tool_name } = (input ?? {}) as Readonly<Record<string, unknown>>
  return createReviews(client, {
    tools: Object.fromEntries([[String(tool_name), { describe: () => folderOf(input) }]]),
    identify: defers ? 'call' : 'content',
    onProblem: ({ code, error }) => onProblem(`${code}: ${String(error)}`),
    ...(reviewers && { reviewers }),
  })
}

/** The folder that Claude is in, as it is shown beside the call. */
function folderOf(input: unknown): Description {
  const { cwd } = (input ?? {}) as Readonly<Record<string, unknown>>
  return typeof cwd === 'string' ? { summary: `In ${cwd}` } : {}
}

/** What the hook answers. */
export interface HookAnswer {
  readonly hookSpecificOutput: {
    readonly hookEventName: 'PreToolUse'
    readonly permissionDecision: 'allow' | 'deny' | 'defer'
    readonly permissionDecisionReason: string
    readonly updatedInput?: Record<string, unknown>
  }
}

/** Decides what Claude may run, by the input of a `PreToolUse` hook. An approval is spent before it is told. */
export async function decideHook(
  reviews: Reviews,
  input: unknown,
  { defers }: Pick<HookOptions, 'defers'>,
): Promise<HookAnswer> {
  const { session_id, tool_use_id, tool_name, tool_input } = (input ?? {}) as Readonly<
    Record<string, unknown>
  >
  const hasIds = typeof session_id === 'string' && typeof tool_name === 'string'
  const hasCallId = typeof tool_use_id === 'string' && tool_use_id !== ''
  if (!hasIds || (defers && !hasCallId)) return answerOf('deny', 'The hook was given no call.')
  const callId = hasCallId ? tool_use_id : ''
  const call = { sessionId: session_id, callId, name: tool_name, input: jsonOf(tool_input) }
  const found = await reviews.check(call)
  if (!found)
    return defers
      ? answerOf('defer', 'A person is asked.')
      : answerOf('deny', 'A person is asked; make the same call again later.')
  // The same words do something else in another folder, and a call with an id is found from there too.
  const isElsewhere = found.review && shownIn(found.review).summary !== folderOf(input).summary
  if (found.approved && isElsewhere)
    return answerOf(
      'deny',
      'A person was asked about this call in another folder; it was not made.',
    )
  const { approved, reason } = await reviews.spend(call, found)
  if (!approved) return answerOf('deny', reason)
  const { hookSpecificOutput: allowed } = answerOf('allow', reason)
  // What was shown is what Claude is told to run.
  const updatedInput = call.input as Record<string, unknown>
  return { hookSpecificOutput: { ...allowed, updatedInput } }
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
