import type { CaseAnswer } from '@countersign/client'
import { unwrap } from '@countersign/core'
import { deep, hostile, payment } from './documents.ts'
import { sendSpans } from './spans.ts'
import type { PortalStage } from './stage.ts'
import { until } from './until.ts'
import { openReceiver, type Receiver } from './world-receiver.ts'

/** An organization in which something of each kind has happened. */
export interface PortalWorld {
  readonly receiver: Receiver
  /** An id for each parameter of a page's path. */
  readonly ids: Readonly<Record<string, string>>
  /** Cases by what became of them. */
  readonly cases: Readonly<Record<string, string>>
  close(): Promise<void>
}

const minute = 60_000
const hour = 60 * minute

/** Fills the organization of a stage, by the API alone. */
export async function fillWorld(stage: PortalStage): Promise<PortalWorld> {
  const receiver = await openReceiver(stage)
  try {
    return await fill(stage, receiver)
  } catch (error) {
    // Or the test process would not end, and not tell why.
    await receiver.close()
    throw error
  }
}

/** What an agent did in the session of the cases: it asked a model, looked an invoice up and wants to pay. */
function agentRun() {
  const startMs = Date.now() - minute
  const steps = [
    {
      name: 'chat gpt-5',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.prompt': 'Pay what we owe to Ada.',
        'gen_ai.completion': 'I look the invoice up.',
      },
    },
    {
      name: 'execute_tool invoices.find',
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'invoices.find' },
    },
    {
      name: 'execute_tool payments.refund',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'payments.refund',
      },
    },
  ]
  return steps.map(({ name, attributes }, at) => ({
    traceId: '5'.repeat(32),
    spanId: `${at + 1}`.padStart(16, '0'),
    name,
    startMs: startMs + at * 1_000,
    attributes: { ...attributes, 'session.id': 'ses_portal' },
  }))
}

async function fill(stage: PortalStage, receiver: Receiver): Promise<PortalWorld> {
  const { application, applicationId } = stage
  const admin = await stage.clientOf('admin')
  const reviewer = await stage.clientOf('reviewer')
  receiver.answer('/failing', 503)
  const webhooks = []
  for (const path of ['/events', '/failing'])
    webhooks.push(
      await admin.webhooks.create({
        url: receiver.origin + path,
        eventTypes: ['*'],
        description: `Of ${path}`,
      }),
    )
  const [webhook, failing] = webhooks
  if (!webhook || !failing) throw new Error('expected two webhooks')
  await until('the webhooks to be verified', async () =>
    receiver.calls.includes('/events') && receiver.calls.includes('/failing') ? true : null,
  )
  await admin.applications.setOutcomeCallback({
    applicationId,
    url: `${receiver.origin}/outcomes`,
    enabled: true,
  })

  await sendSpans(stage, agentRun())
  const overdue = await stage.openCase({ ...payment, title: 'Overdue' }, { reviewTier: 'urgent' })
  const expired = await stage.openCase(
    { ...payment, title: 'Expired' },
    { reviewTier: 'urgent', expiresAt: new Date(Date.now() + 45 * minute).toISOString() },
  )
  await stage.advance(50 * minute)
  const read = (reviewCaseId: string) => reviewer.reviewCases.read({ reviewCaseId })
  const claimed = async (title: string, tier = 'high') => {
    const reviewCaseId = await stage.openCase({ ...payment, title }, { reviewTier: tier })
    return reviewer.reviewCases.claim({ reviewCaseId })
  }
  const decide = (seen: CaseAnswer, decision: 'approved' | 'rejected') =>
    reviewer.reviewCases.decide({
      case: seen,
      presentationDigest: seen.presentationDigest ?? '',
      decision,
      comment: 'Looked at it.',
    })
  const approved = await decide(await claimed('Approved'), 'approved')
  const rejected = await decide(await claimed('Rejected'), 'rejected')
  await application.reviewCases.reportContinuation({
    reviewCaseId: approved.reviewCaseId,
    outcome: 'resumed',
  })
  const asked = await reviewer.reviewCases.requestFollowUp({
    case: await claimed('Answered'),
    question: 'Which invoice is this?',
  })
  await application.reviewCases.answerFollowUp({ case: asked, answer: 'R-7781' })
  const cancelled = await stage.openCase({ ...payment, title: 'Cancelled' })
  await application.reviewCases.cancel({
    case: await application.reviewCases.read({ reviewCaseId: cancelled }),
    reasonCategory: 'end_user_cancelled',
  })
  const cases = {
    overdue,
    expired,
    approved: approved.reviewCaseId,
    rejected: rejected.reviewCaseId,
    answered: asked.reviewCaseId,
    cancelled,
    mine: (await claimed('Mine', 'standard')).reviewCaseId,
    open: await stage.openCase(payment, { reviewTier: 'high' }),
    hostile: await stage.openCase(hostile, { reviewTier: 'standard' }),
    deep: await stage.openCase(deep(60)),
    plain: await stage.openCase({ anything: ['at', 'all', 1, null, true] }),
  }
  await until('the case to expire', async () =>
    (await read(expired)).state === 'expired' ? true : null,
  )

  await admin.invitations.create({ email: 'pending@acme.example' })
  await admin.applicationKeys.create({ applicationId, label: 'second' })
  await admin.keyRequests.submit({
    action: 'issue-customer-key',
    applicationId,
    reason: 'A backend.',
  })
  receiver.answer('/chat', 404)
  const channel = await admin.notificationChannels.create({
    kind: 'slack',
    webhookUrl: `${receiver.origin}/chat`,
    eventTypes: ['*'],
  })
  await admin.notificationChannels.test({ channelId: channel.channelId })
  const rule = await admin.alertRules.create({
    name: 'Overdue cases',
    metricName: 'reviews.overdue',
    comparator: 'gt',
    threshold: 0,
    severity: 'warning',
  })
  await stage.advance(hour)
  const delivered = await until('a delivery', async () => {
    for await (const log of admin.webhooks.deliveryLogs({ webhookId: webhook.id })) return log
    return null
  })
  unwrap(await stage.service.signingKeys.list(stage.admin, {}))
  return {
    receiver,
    cases,
    ids: {
      reviewCaseId: cases.open,
      webhookId: failing.id,
      applicationId,
      eventId: delivered.eventId,
      sessionId: 'ses_portal',
      channelId: channel.channelId,
      alertRuleId: rule.alertRuleId,
      memberId: stage.members.reviewer.memberId,
    },
    close: () => receiver.close(),
  }
}
