import { encodeEvent } from '../base/events/envelope.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import type { NewMessage } from '../outbox/records.ts'

/** The message of a test delivery: an `alert.triggered` that belongs to no rule. `of` is what the test is of. */
export function sampleMessage(
  { now }: Pick<UnitOfWork, 'now'>,
  tenantId: string,
  messageId: string,
  of: 'channel' | 'webhook',
): NewMessage {
  const type = 'alert.triggered'
  const body = encodeEvent({
    id: messageId,
    type,
    timestamp: isoTime(now),
    tenantId,
    applicationId: null,
    data: {
      alertRuleId: 'rule_00000000000000000000000000',
      alertRuleName: `Test of this ${of}`,
      metricName: `${of}.test`,
      currentValue: 1,
      threshold: 0,
      severity: 'info',
    },
  })
  return { messageId, tenantId, applicationId: null, type, family: 'legacy', createdAt: now, body }
}
