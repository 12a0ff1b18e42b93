import type { Reviews, RunContext, ToolCall } from '@countersign/agents'

/**
 * Activities that a workflow of Temporal is given; the workflow itself has no network. `act` throws NotRun for a call
 * that was not approved, or whose approval is spent: name it among `nonRetryableErrorTypes`.
 */
export const activitiesOf = <O>(
  reviews: Reviews,
  act: (context: RunContext, input: unknown) => Promise<O>,
) => ({
  /** The case of a call, whose session is the workflow's id: there the outcome callback's worker sends the signal. */
  ask: async (call: ToolCall) => ((await reviews.needs(call)) ? reviews.open(call) : null),
  act: (call: ToolCall) => reviews.run(call, act),
})

/** What of `@temporalio/workflow` is used: `condition`, and a signal's handler that sets `isTold`. */
export interface TemporalWait {
  condition(holds: () => boolean, timeoutMs: number): Promise<boolean>
  isTold(): boolean
  now(): number
}

/** Makes a call within a workflow. A signal that is lost costs no more than the wait until the case's deadline. */
export async function actInTemporal<O>(
  { ask, act }: ReturnType<typeof activitiesOf<O>>,
  { condition, isTold, now }: TemporalWait,
  call: ToolCall,
): Promise<O> {
  const asked = await ask(call)
  if (asked?.review && !asked.verdict)
    await condition(isTold, Date.parse(asked.review.expiresAt) - now())
  return act(call)
}
