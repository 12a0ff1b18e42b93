import { encodeEvent } from '../../base/events/envelope.ts'
import type { SubscriptionEvent } from '../../base/events/review.ts'
import type { Put } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Intake } from '../../outbox/kind.ts'
import { owe } from '../../outbox/owe.ts'
import type { Notice } from '../machine/command.ts'
import type { Webhook } from '../records.ts'

/** The puts that owe a webhook notices about itself. */
export function oweNotices(
  unit: Pick<UnitOfWork, 'now' | 'id'>,
  intake: Intake,
  webhook: Webhook,
  notices: readonly Notice[],
  at: number,
): readonly Put[] {
  return notices.flatMap((notice) => {
    const messageId = 'messageId' in notice ? notice.messageId : unit.id('evt')
    const message = {
      messageId,
      tenantId: webhook.tenantId,
      applicationId: null,
      type: notice.type,
      family: 'standard' as const,
      createdAt: at,
      body: encodeEvent(noticeEvent(notice, messageId, webhook, at)),
    }
    const owed = {
      endpointId: webhook.webhookId,
      kind: 'notice' as const,
      policy: 'review' as const,
      generation: webhook.generation,
      trigger: verifies(notice) ? ('verification' as const) : ('event' as const),
    }
    return owe(unit, intake, message, [owed])
  })
}

function verifies(notice: Notice): boolean {
  return notice.type === 'subscription.verification_requested'
}

function noticeEvent(notice: Notice, id: string, webhook: Webhook, at: number): SubscriptionEvent {
  const base = {
    id,
    schemaVersion: 1 as const,
    time: isoTime(at),
    tenantId: webhook.tenantId,
    subscriptionId: webhook.webhookId,
    challenge: null,
    reason: null,
    previousSecretValidUntil: null,
    missedFrom: null,
    missedUntil: null,
  }
  switch (notice.type) {
    case 'subscription.verification_requested':
      return { ...base, type: notice.type, challenge: notice.challenge }
    case 'subscription.disabled':
      return { ...base, type: notice.type, reason: notice.reason }
    case 'subscription.signing_key_rotating':
      return {
        ...base,
        type: notice.type,
        previousSecretValidUntil: isoTime(notice.previousSecretValidUntil),
      }
    case 'subscription.events_missed':
      return {
        ...base,
        type: notice.type,
        missedFrom: isoTime(notice.missedFrom),
        missedUntil: isoTime(notice.missedUntil),
      }
  }
}
