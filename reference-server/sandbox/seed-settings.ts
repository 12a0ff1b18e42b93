import { type MemberActor, type Service, unwrap } from '@countersign/core'

const staff = { kind: 'staff', name: 'sandbox' } as const

/** A rule that is triggered by what was denied, and one that is not. Answers with the id of the former. */
export async function seedAlertRules(
  { alertRules }: Service,
  admin: MemberActor,
  { applicationId }: { readonly applicationId: string },
): Promise<string> {
  const day = { comparator: 'gte', windowSeconds: 86_400 } as const
  const { alertRuleId } = unwrap(
    await alertRules.create(admin, {
      ...day,
      name: 'Denied actions',
      metricName: 'policy.violations',
      threshold: 1,
      severity: 'warning',
    }),
  )
  unwrap(
    await alertRules.create(admin, {
      ...day,
      name: 'Failed sessions',
      applicationId,
      metricName: 'sessions.failed_percent',
      threshold: 50,
      severity: 'critical',
    }),
  )
  return alertRuleId
}

/** One that waits for staff, one that staff rejected, and one whose key nobody revealed. */
export async function seedKeyRequests(
  { keyRequests }: Service,
  admin: MemberActor,
  { applicationId }: { readonly applicationId: string },
): Promise<void> {
  const ask = async (action: string, input: { readonly applicationId?: string }, reason: string) =>
    unwrap(await keyRequests.submit(admin, { action, ...input, reason })).id
  const rotation = await ask('rotate-tenant-key', {}, 'Once a year.')
  unwrap(await keyRequests.reject(staff, { requestId: rotation, reason: 'Rotated last month.' }))
  const executed = await ask('issue-secondary-key', { applicationId }, 'A second backend.')
  unwrap(await keyRequests.approve(staff, { requestId: executed }))
  unwrap(await keyRequests.execute(staff, { requestId: executed }))
  await ask('issue-customer-key', { applicationId }, 'A backend of its own.')
}

/** A chat of each kind, for events of which none is left to come: a chat is owed what happens from now on. */
export async function seedChannels(
  { notificationChannels }: Service,
  admin: MemberActor,
): Promise<void> {
  unwrap(
    await notificationChannels.create(admin, {
      kind: 'slack',
      webhookUrl: 'https://chat.example/services/sandbox',
      eventTypes: ['review.case.created', 'session.flagged'],
    }),
  )
  unwrap(
    await notificationChannels.create(admin, {
      kind: 'teams',
      webhookUrl: 'https://chat.example/workflows/sandbox',
      eventTypes: ['governance.threshold_breached'],
      enabled: false,
    }),
  )
}
