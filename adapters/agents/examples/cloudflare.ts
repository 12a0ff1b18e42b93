import type { Reviews, RunContext, ToolCall } from '@countersign/agents'

/** What of a workflow's `step` is used. */
export interface WorkflowStep {
  do<T>(name: string, act: () => Promise<T>): Promise<T>
  waitForEvent(
    name: string,
    options: { readonly type: string; readonly timeout: number },
  ): Promise<unknown>
}

/**
 * Makes a call within a workflow of Cloudflare, whose instance is the call's session. The outcome callback, taken by
 * the receiver kit's fetch handler, ends the wait by `instance.sendEvent({ type: 'countersign-outcome', payload })`;
 * without it the deadline does. The last step throws NotRun for a call that was not approved, or whose approval is
 * spent.
 */
export async function actInWorkflow<O>(
  reviews: Reviews,
  step: WorkflowStep,
  call: ToolCall,
  act: (context: RunContext, input: unknown) => Promise<O>,
): Promise<O> {
  const asked = await step.do('ask', async () =>
    (await reviews.needs(call)) ? reviews.open(call) : null,
  )
  const { review } = asked ?? {}
  if (review && !asked?.verdict) {
    const timeout = await step.do(
      'remaining',
      async () => Date.parse(review.expiresAt) - Date.now(),
    )
    await step.waitForEvent('decided', { type: 'countersign-outcome', timeout }).catch(() => null)
  }
  return step.do('act', () => reviews.run(call, act))
}
