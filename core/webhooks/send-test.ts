import { type Actor, actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { encodeEvent } from '../events/envelope.ts'
import type { LegacyEvent } from '../events/legacy.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { Intake, Outcomes } from '../outbox/kind.ts'
import { owe } from '../outbox/owe.ts'
import { createTestTurns, testPatienceMs } from '../outbox/test-turns.ts'
import type { Put } from '../ports/store.ts'
import { auditOf } from './change-set.ts'
import type { WebhookDeps } from './deps.ts'
import { loadWebhook } from './load-webhook.ts'
import { gone } from './machine/machine.ts'
import { logEntry } from './present-attempt.ts'
import type { Webhook } from './records.ts'
import type { WebhookUseCases } from './use-cases.ts'

interface Owed {
  readonly outcome: ReturnType<Outcomes['next']>
  readonly body: Uint8Array
}

/** Sends the sample `alert.triggered` once and waits for the attempt's record. */
export function createTestSender(
  ports: Pick<WebhookDeps, 'ledger' | 'intake' | 'outcomes'>,
): Pick<WebhookUseCases, 'test'> {
  const { ledger, intake, outcomes } = ports
  async function send(actor: Actor, webhookId: string): ReturnType<WebhookUseCases['test']> {
    const owed = await executeAs<Owed>(ledger, actor, 'manageWebhooks', async (unit, member) => {
      const loaded = await loadWebhook(unit, member.tenantId, webhookId)
      if (!loaded.ok) return refusal(loaded)
      const { row, version } = loaded.value.webhook
      if (row.statusReason === 'endpoint_gone') return refusal(gone())
      const messageId = unit.id('evt')
      // Watch before the commit: the attempt may end before the commit is reported.
      const outcome = outcomes.next(webhookId, messageId, testPatienceMs)
      const { body, puts } = sample(unit, intake, row, messageId)
      const act = { actor: actorName(member), action: 'webhook.tested' }
      return commit(
        {
          checks: [{ in: 'webhooks', key: [webhookId], version }],
          puts,
          ...auditOf(row, act, unit.now),
        },
        { outcome, body },
      )
    })
    if (!owed.ok) return owed
    const attempt = await owed.value.outcome
    if (attempt) return ok(logEntry(attempt, owed.value.body))
    return refuse(
      'unavailable',
      `the test was not sent within ${testPatienceMs / 1_000} s: the webhook was changed meanwhile, or the dispatcher is not running; if it is sent later, the delivery log shows it`,
      // The delivery is owed; whether it was sent is unknown.
      { facts: { written: null } },
    )
  }

  const turns = createTestTurns()
  return {
    async test(actor, webhookId) {
      const member = authorizeMember(actor, 'manageWebhooks')
      if (!member.ok) return member
      return turns.run(member.value.tenantId, webhookId, () => send(actor, webhookId))
    },
  }
}

function sample(
  unit: UnitOfWork,
  intake: Intake,
  webhook: Webhook,
  messageId: string,
): { readonly body: Uint8Array; readonly puts: readonly Put[] } {
  const event: LegacyEvent = {
    id: messageId,
    type: 'alert.triggered',
    timestamp: isoTime(unit.now),
    tenantId: webhook.tenantId,
    applicationId: null,
    data: {
      alertRuleId: 'rule_00000000000000000000000000',
      alertRuleName: 'Test of this webhook',
      metricName: 'webhook.test',
      currentValue: 1,
      threshold: 0,
      severity: 'info',
    },
  }
  const body = encodeEvent(event)
  const message = {
    messageId,
    tenantId: webhook.tenantId,
    applicationId: null,
    type: event.type,
    family: 'legacy' as const,
    createdAt: unit.now,
    body,
  }
  const to = {
    endpointId: webhook.webhookId,
    kind: 'test' as const,
    policy: 'once' as const,
    generation: webhook.generation,
    trigger: 'test' as const,
  }
  return { body, puts: owe(unit, intake, message, [to]) }
}
