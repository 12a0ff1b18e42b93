import type { Service } from '@countersign/core'
import { type DemoOrganization, granted } from './seed.ts'

/**
 * Has something wait for whoever opens the portal: where no case of the demo organization is open, its application asks
 * to pay an invoice. `now`: UTC epoch ms, which tells one such opening from the next.
 */
export async function haveCaseWait(
  service: Service,
  { applicationKey, admin }: DemoOrganization,
  now: number,
): Promise<void> {
  const session = granted(await service.auth.login({ ...admin, address: 'local' }))
  const member = granted(await service.access.authenticateMember(session.token))
  const { totalCount } = granted(
    await service.reviewCases.list(member, { state: 'open', limit: 1 }),
  )
  await service.auth.logout(member, {})
  if (totalCount > 0) return
  const application = granted(await service.access.authenticateApplication(applicationKey))
  granted(
    await service.reviewCases.open(application, {
      sessionId: `ses_welcome_${now}`,
      checkpointId: 'before-payment',
      reasonCategory: 'high_risk_action',
      reviewTier: 'high',
      resumeToken: `welcome-${now}`,
      idempotencyKey: `welcome-${now}`,
      presentation: {
        action: {
          tool: 'payments.transfer',
          arguments: {
            amount: '1200.00',
            currency: 'EUR',
            to: 'DE89 3704 0044 0532 0130 00',
            reference: 'Invoice 2026-1187',
          },
        },
        before: { account: 'Operations', balance: '5310.00' },
        after: { account: 'Operations', balance: '4110.00' },
        title: 'Pay 1,200 EUR to ACME GmbH',
        summary: 'The invoice of October for hosting. It matches order 4711.',
      },
    }),
  )
}
