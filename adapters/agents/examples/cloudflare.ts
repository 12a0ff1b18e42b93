import type { Client, ReviewRequest } from '@countersign/client'

/** What of a workflow's `step` is used. */
export interface WorkflowStep {
  do<T>(name: string, act: () => Promise<T>): Promise<T>
  waitForEvent(
    name: string,
    options: { readonly type: string; readonly timeout: number },
  ): Promise<unknown>
}

/**
 * Asks a person within a workflow of Cloudflare. The outcome callback, taken by the receiver kit's fetch handler, ends
 * the wait by `instance.sendEvent({ type: 'countersign-outcome', payload })`; without it the deadline does.
 */
export async function askInWorkflow(
  client: Client,
  step: WorkflowStep,
  { instanceId, ...asked }: ReviewRequest & { readonly idempotencyKey: string; instanceId: string },
) {
  const resumeToken = JSON.stringify({ via: 'workflow', instanceId })
  const { reviewCaseId, expiresAt } = await step.do('ask', () =>
    client.reviewCases.open({ ...asked, resumeToken }),
  )
  const timeout = await step.do('remaining', async () => Date.parse(expiresAt) - Date.now())
  await step.waitForEvent('decided', { type: 'countersign-outcome', timeout }).catch(() => null)
  return step.do('read', () => client.reviewCases.read({ reviewCaseId }))
}
