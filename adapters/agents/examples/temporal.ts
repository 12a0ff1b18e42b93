import type { Client, ReviewRequest } from '@countersign/client'

/** Activities that a workflow of Temporal is given; the workflow itself has no network. */
export const activitiesOf = (client: Client) => ({
  /** With the workflow's id, to which the outcome callback's worker sends the signal. */
  open: (asked: ReviewRequest & { readonly idempotencyKey: string }, workflowId: string) =>
    client.reviewCases.open({
      ...asked,
      resumeToken: JSON.stringify({ via: 'temporal', workflowId }),
    }),
  read: (reviewCaseId: string) => client.reviewCases.read({ reviewCaseId }),
})

/** What of `@temporalio/workflow` is used: `condition`, and a signal's handler that sets `isTold`. */
export interface TemporalWait {
  condition(holds: () => boolean, timeoutMs: number): Promise<boolean>
  isTold(): boolean
  now(): number
}

/** Asks a person within a workflow. A signal that is lost costs no more than the wait until the case's deadline. */
export async function askInTemporal(
  { open, read }: ReturnType<typeof activitiesOf>,
  { condition, isTold, now }: TemporalWait,
  asked: Parameters<ReturnType<typeof activitiesOf>['open']>[0],
  workflowId: string,
) {
  const { reviewCaseId, expiresAt } = await open(asked, workflowId)
  await condition(isTold, Date.parse(expiresAt) - now())
  return read(reviewCaseId)
}
