import { Afterwards, operationsWith } from '../kernel/operation.ts'
import { owe } from '../outbox/owe.ts'
import { testPatienceMs } from '../outbox/test-turns.ts'
import { existing } from './load-webhook.ts'
import { logEntry, logEntryShape } from './log-entry.ts'
import { gone } from './machine/machine.ts'
import { shownWebhook } from './records.ts'
import { sampleMessage } from './sample-event.ts'
import type { WebhookTools } from './tools.ts'

const { command } = operationsWith<WebhookTools>()

/** Sends the sample `alert.triggered` once the webhook's tests before it have ended, and waits up to 20 s for its record. */
export const testWebhook = command({
  name: 'webhooks.test',
  doc: 'Send a sample event once',
  right: 'manageWebhooks',
  takes: { webhookId: shownWebhook.id },
  gives: logEntryShape,
  refuses: ['not_found', 'endpoint_gone', 'unavailable'],
  around: ({ by, tools }, { webhookId }, run) => tools.testTurns.run(by.tenantId, webhookId, run),
  async run(unit, { webhookId }) {
    const { intake, outcomes } = unit.tools
    const { row } = (await unit.ask({ webhook: existing(webhookId) })).webhook
    if (row.statusReason === 'endpoint_gone') unit.orRefuse(gone())
    const messageId = unit.id('evt')
    // Watch before the commit: the attempt may end before the commit is reported.
    const outcome = outcomes.next(webhookId, messageId, testPatienceMs)
    const message = sampleMessage(unit, row.tenantId, messageId, 'webhook')
    const to = {
      endpointId: webhookId,
      kind: 'test' as const,
      policy: 'once' as const,
      generation: row.generation,
      trigger: 'test' as const,
    }
    unit.include({ puts: owe(unit, intake, message, [to]) })
    unit.audit('webhook.tested', webhookId, {})
    return new Afterwards(async () => {
      const attempt = await outcome
      if (attempt) return logEntry(attempt, message.body)
      return unit.refuse(
        'unavailable',
        `the test was not sent within ${testPatienceMs / 1_000} s: the webhook was changed, or the dispatcher is not running; if it is sent later, the delivery log shows it`,
        // The delivery is owed; whether it was sent is unknown.
        { facts: { written: null } },
      )
    })
  },
})
