import type { Put } from '../base/ports/store.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { put } from '../kernel/ledger/reads.ts'
import type { Intake } from './kind.ts'
import { type Delivery, deliveries, messages, type NewMessage } from './records.ts'

/** One endpoint that a message is owed to. */
export type Owed = Pick<Delivery, 'endpointId' | 'kind' | 'policy' | 'generation' | 'trigger'>

/**
 * The puts that owe a message to endpoints: the bytes once, with the endpoints' ids, and a delivery for each. With room
 * at the intake a delivery is pre-leased and its first attempt counted; else it is claimable immediately.
 */
export function owe(
  unit: Pick<UnitOfWork, 'now' | 'id'>,
  intake: Intake,
  message: NewMessage,
  to: readonly Owed[],
): readonly Put[] {
  const endpointIds = to.map(({ endpointId }) => endpointId)
  const puts: Put[] = [put(messages, { ...message, endpointIds }, null)]
  for (const owed of to) {
    const lease = intake.offer(owed.endpointId)
    const delivery: Delivery = {
      endpointId: owed.endpointId,
      messageId: message.messageId,
      tenantId: message.tenantId,
      applicationId: message.applicationId,
      deliveryId: unit.id('dlv'),
      kind: owed.kind,
      type: message.type,
      family: message.family,
      policy: owed.policy,
      round: 1,
      generation: owed.generation,
      status: 'pending',
      due: lease ? lease.until : unit.now,
      attempts: lease ? 1 : 0,
      logged: 0,
      interrupted: 0,
      broughtForward: 0,
      createdAt: message.createdAt,
      firstAttemptAt: null,
      deliveredAt: null,
      lastAttemptAt: null,
      lastResponseStatus: null,
      lastError: null,
      endedAt: null,
      trigger: owed.trigger,
    }
    puts.push(put(deliveries, delivery, null, lease?.owner))
  }
  return puts
}
