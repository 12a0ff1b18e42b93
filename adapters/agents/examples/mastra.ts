import type { Reviews, RunContext } from '@countersign/agents'

/** What of the second argument of a Mastra tool's `execute` is used. */
export interface MastraContext {
  readonly agent?: { readonly threadId?: string | undefined; readonly toolCallId: string }
}

/** The `execute` of a Mastra tool, held back until a person approved; Mastra's own approval is not needed beside it. */
export function guardedExecute<I, O>(
  reviews: Reviews,
  name: string,
  act: (input: I, context: RunContext) => Promise<O>,
) {
  return reviews.guard(name, act, (_: I, { agent }: MastraContext) => {
    if (!agent?.threadId) throw new TypeError('expected a thread, in which calls have ids')
    return { sessionId: agent.threadId, callId: agent.toolCallId }
  })
}
