import type { Delivery, PolicyName } from '../../outbox/records.ts'

/** An event that is owed, and was never tried. */
export function owed(policy: PolicyName, more: Partial<Delivery> = {}): Delivery {
  return {
    endpointId: 'wh_1',
    messageId: 'evt_1',
    tenantId: 'ten_1',
    applicationId: null,
    deliveryId: 'dlv_1',
    kind: 'event',
    type: 'review.case.created',
    family: 'standard',
    policy,
    round: 1,
    generation: 0,
    status: 'pending',
    due: 0,
    attempts: 0,
    logged: 0,
    interrupted: 0,
    broughtForward: 0,
    createdAt: 0,
    firstAttemptAt: null,
    deliveredAt: null,
    lastAttemptAt: null,
    lastResponseStatus: null,
    lastError: null,
    endedAt: null,
    trigger: 'event',
    ...more,
  }
}

/** What a store's claim does to the row. */
export const claimed = (delivery: Delivery, now: number): Delivery => ({
  ...delivery,
  attempts: delivery.attempts + 1,
  due: now + 30_000,
})
