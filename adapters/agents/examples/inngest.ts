import type { Reviews, RunContext, ToolCall } from '@countersign/agents'
import type { ReviewOutcome } from '@countersign/client'

/** What of Inngest's `step` is used. */
export interface InngestStep {
  run<T>(id: string, act: () => Promise<T>): Promise<T>
  waitForEvent(
    id: string,
    options: { readonly event: string; readonly if: string; readonly timeout: Date },
  ): Promise<unknown>
}

/**
 * Makes a call within a function of Inngest, which is put away while a person is asked. An event that came before the
 * wait is lost; the wait then ends with the case's deadline. The last step throws NotRun for a call that was not
 * approved, or whose approval is spent; repeated, it throws it again.
 */
export async function actInInngest<O>(
  reviews: Reviews,
  step: InngestStep,
  call: ToolCall,
  act: (context: RunContext, input: unknown) => Promise<O>,
): Promise<O> {
  const asked = await step.run('ask', async () =>
    (await reviews.needs(call)) ? reviews.open(call) : null,
  )
  if (asked?.review && !asked.verdict)
    await step.waitForEvent('decided', {
      event: 'countersign/outcome',
      if: `async.data.reviewCaseId == "${asked.review.reviewCaseId}"`,
      timeout: new Date(asked.review.expiresAt),
    })
  return step.run('act', () => reviews.run(call, act))
}

/** What the receiver kit's `onOutcome` sends to Inngest. */
export const eventOf = (outcome: Omit<ReviewOutcome, 'approved' | 'comment' | 'decidedBy'>) => ({
  id: `${outcome.reviewCaseId}-${outcome.caseVersion}`,
  name: 'countersign/outcome',
  data: outcome,
})
