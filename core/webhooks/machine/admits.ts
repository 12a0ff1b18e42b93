import type { Delivery } from '../../outbox/records.ts'
import type { Webhook } from '../records.ts'

type State = Pick<Webhook, 'status' | 'statusReason' | 'generation'>

/**
 * Whether a webhook still wants a delivery: nothing after a 410, notices on and off (interface, Subscription event),
 * tests of its generation, and events of its generation while it is on.
 */
export function admitsFor({ status, statusReason, generation }: State): (d: Delivery) => boolean {
  if (statusReason === 'endpoint_gone') return () => false
  return (delivery) =>
    delivery.kind === 'notice' ||
    (delivery.generation === generation && (status === 'receiving' || delivery.kind !== 'event'))
}
