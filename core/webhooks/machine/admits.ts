import type { Delivery } from '../../outbox/records.ts'
import type { Webhook } from '../records.ts'

type State = Pick<Webhook, 'status' | 'statusReason' | 'generation'>

/**
 * Whether a webhook still wants a delivery: nothing after a 410, nothing that was owed before it was last turned
 * off, and while it is off only notices and tests (interface, Subscription event).
 */
export function admitsFor({ status, statusReason, generation }: State): (d: Delivery) => boolean {
  if (statusReason === 'endpoint_gone') return () => false
  return (delivery) =>
    delivery.generation === generation && (status === 'receiving' || delivery.kind !== 'event')
}
