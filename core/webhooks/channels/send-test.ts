import type { Put } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Intake, Outcomes } from '../../outbox/kind.ts'
import { owe } from '../../outbox/owe.ts'
import { testPatienceMs } from '../../outbox/test-turns.ts'
import { sampleMessage } from '../sample-event.ts'
import type { NotificationChannel } from './records.ts'

/** The puts that owe a channel a sample message once, and what becomes of it; null when it was not sent in time. */
export function sendTest(
  unit: Pick<UnitOfWork, 'now' | 'id'>,
  { tenantId, channelId, kind, generation }: NotificationChannel,
  { intake, outcomes }: { readonly intake: Intake; readonly outcomes: Outcomes },
): { readonly puts: readonly Put[]; readonly outcome: ReturnType<Outcomes['next']> } {
  const messageId = unit.id('evt')
  const message = sampleMessage(unit, tenantId, messageId, 'channel')
  const to = {
    endpointId: channelId,
    kind,
    policy: 'once' as const,
    generation,
    trigger: 'test' as const,
  }
  // Watch before the commit: the attempt may end before the commit is reported.
  const outcome = outcomes.next(channelId, messageId, testPatienceMs)
  return { puts: owe(unit, intake, message, [to]), outcome }
}
