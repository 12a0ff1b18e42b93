import { alertEvent, type Body, challengeEvent, type Event, reviewEvent } from './messages.ts'

export const reviewTypes = [
  'review.case.created',
  'review.case.assignment_changed',
  'review.case.follow_up_required',
  'review.case.decided',
  'review.case.cancelled',
  'review.case.expired',
  'review.case.overdue',
  'review.continuation.acknowledged',
  'review.continuation.delivery_failed',
] as const

const subscriptionTypes = [
  'subscription.verification_requested',
  'subscription.disabled',
  'subscription.signing_key_rotating',
  'subscription.events_missed',
] as const

/** Types that the service may add; a receiver stores them like any other. */
export const unknownTypes = [
  'review.case.paused',
  'review.policy.changed',
  'subscription.resumed',
  'billing.paid',
  'ping',
  'test',
] as const

/** Every type that a receiver of this family may see, those of the future included. */
export const allTypes: readonly string[] = [...reviewTypes, ...subscriptionTypes, ...unknownTypes]

/** An event of the type, with the members that its family has. */
export function eventOf(type: string, change: Body = {}): Event {
  if (type.startsWith('review.')) return reviewEvent({ type, ...decisionOf(type), ...change })
  if (type.startsWith('subscription.')) {
    const challenge = type === 'subscription.verification_requested' ? 'conformance-test' : null
    const members = { reason: null, previousSecretValidUntil: null, missedFrom: null }
    return challengeEvent(challenge, { type, ...members, missedUntil: null, ...change })
  }
  return alertEvent({ type, schemaVersion: 1, time: new Date().toISOString(), ...change })
}

/** The contract ties the decision to the type. */
const decisionOf = (type: string): Body =>
  type === 'review.case.decided' ? { decision: 'approved' } : {}
