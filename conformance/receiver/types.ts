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

/**
 * Types that the service may add; a receiver stores them like any other. Of two in a row one at least has no case, for
 * in a case a second effect may be held back by the order.
 */
export const unknownTypes = [
  'billing.paid',
  'review.case.paused',
  'ping',
  'review.policy.changed',
  'subscription.resumed',
  'test',
] as const

/** Every type that a receiver of this family may see, those of the future included. */
export const allTypes: readonly string[] = [...reviewTypes, ...subscriptionTypes, ...unknownTypes]

/** Kinds of events that a receiver may treat each in its own way. */
export const families = ['review', 'subscription', 'verification', 'to come'] as const
export type Family = (typeof families)[number]

export function familyOf(type: string): Family {
  if ((unknownTypes as readonly string[]).includes(type)) return 'to come'
  if (type === 'subscription.verification_requested') return 'verification'
  return type.startsWith('review.') ? 'review' : 'subscription'
}

/** Types one after the other, of all families in turn, so that a few events in a row are of each; the first is the plainest. */
export const typesInTurn: readonly string[] = reviewTypes.flatMap((_, at) =>
  families.map((family) => {
    const own = allTypes.filter((type) => familyOf(type) === family)
    return own[at % own.length] ?? 'review.case.created'
  }),
)

/** The type at a place of the turn, which begins anew. */
export const typeAt = (types: readonly string[], place: number): string =>
  types[place % types.length] ?? 'review.case.created'

/** The families of these types. */
export const familiesOf = (types: readonly string[]): readonly Family[] =>
  families.filter((family) => types.some((type) => familyOf(type) === family))

/** The first of these types that is of the family. */
export const typeOf = (types: readonly string[], family: Family): string =>
  types.find((type) => familyOf(type) === family) ?? 'review.case.created'

/** Messages by the family of their events. */
export type FamilyCounts = Record<Family, number>
export const noFamilies = (): FamilyCounts => ({
  ...{ review: 0, subscription: 0, verification: 0, 'to come': 0 },
})

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
