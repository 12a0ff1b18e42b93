import type { Client, ReviewOutcome, ReviewRequest } from '@countersign/client'

/** What of Inngest's `step` is used. */
export interface InngestStep {
  run<T>(id: string, act: () => Promise<T>): Promise<T>
  waitForEvent(
    id: string,
    options: { readonly event: string; readonly if: string; readonly timeout: Date },
  ): Promise<unknown>
}

/**
 * Asks a person within a function of Inngest, which is put away meanwhile. The case is read after the wait: an event
 * that came before it is lost, and the wait then ends with the case's deadline.
 */
export async function askInInngest(
  client: Client,
  step: InngestStep,
  asked: ReviewRequest & { readonly idempotencyKey: string },
) {
  const { reviewCaseId, expiresAt } = await step.run('ask', () =>
    client.reviewCases.open({ ...asked, resumeToken: JSON.stringify({ via: 'inngest' }) }),
  )
  await step.waitForEvent('decided', {
    event: 'countersign/outcome',
    if: `async.data.reviewCaseId == "${reviewCaseId}"`,
    timeout: new Date(expiresAt),
  })
  return step.run('read', () => client.reviewCases.read({ reviewCaseId }))
}

/** What the receiver kit's `onOutcome` sends to Inngest. */
export const eventOf = (outcome: Omit<ReviewOutcome, 'approved' | 'comment' | 'decidedBy'>) => ({
  id: `${outcome.reviewCaseId}-${outcome.caseVersion}`,
  name: 'countersign/outcome',
  data: outcome,
})
