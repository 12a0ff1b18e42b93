/**
 * The event catalogue: one row a type. `standard` events are signed in the Standard Webhooks profile and may be
 * retried for three days; `service` events carry `X-Service-Signature` and are tried four times (interface, Events).
 */
export const catalogue = {
  'review.case.created': { family: 'standard', envelope: 'review' },
  'review.case.assignment_changed': { family: 'standard', envelope: 'review' },
  'review.case.follow_up_required': { family: 'standard', envelope: 'review' },
  'review.case.decided': { family: 'standard', envelope: 'review' },
  'review.case.cancelled': { family: 'standard', envelope: 'review' },
  'review.case.expired': { family: 'standard', envelope: 'review' },
  'review.case.overdue': { family: 'standard', envelope: 'review' },
  'review.continuation.acknowledged': { family: 'standard', envelope: 'review' },
  'review.continuation.delivery_failed': { family: 'standard', envelope: 'review' },
  'subscription.verification_requested': { family: 'standard', envelope: 'subscription' },
  'subscription.disabled': { family: 'standard', envelope: 'subscription' },
  'subscription.signing_key_rotating': { family: 'standard', envelope: 'subscription' },
  'subscription.events_missed': { family: 'standard', envelope: 'subscription' },
  'alert.triggered': { family: 'legacy', envelope: 'legacy' },
  'alert.resolved': { family: 'legacy', envelope: 'legacy' },
  'session.flagged': { family: 'legacy', envelope: 'legacy' },
  'session.review.approved': { family: 'legacy', envelope: 'legacy' },
  'session.review.rejected': { family: 'legacy', envelope: 'legacy' },
  'governance.threshold_breached': { family: 'legacy', envelope: 'legacy' },
  'gdpr.erasure_completed': { family: 'legacy', envelope: 'legacy' },
  'gdpr.legal_hold_placed': { family: 'legacy', envelope: 'legacy' },
  'application.purge_completed': { family: 'legacy', envelope: 'legacy' },
  'quality.score_computed': { family: 'legacy', envelope: 'legacy' },
  'evidence_package.ready': { family: 'legacy', envelope: 'legacy' },
  'session.completed': { family: 'legacy', envelope: 'platform' },
  'application.promoted': { family: 'legacy', envelope: 'platform' },
  'health.status_changed': { family: 'legacy', envelope: 'platform' },
  'compliance.rule_violation': { family: 'legacy', envelope: 'platform' },
} as const

/** Which signature and retry policy an event has. */
export type Family = 'standard' | 'legacy'

/** Signature family and envelope of an event type. */
export interface EventKind {
  readonly family: Family
  readonly envelope: 'review' | 'subscription' | 'legacy' | 'platform'
}

/** Every event type of the catalogue. */
export type EventType = keyof typeof catalogue
type TypesWith<E extends EventKind['envelope']> = {
  [T in EventType]: (typeof catalogue)[T]['envelope'] extends E ? T : never
}[EventType]
/** Types of review events. */
export type ReviewEventType = TypesWith<'review'>
/** Types of subscription events. */
export type SubscriptionEventType = TypesWith<'subscription'>
/** Types in the legacy envelope. */
export type LegacyEventType = TypesWith<'legacy'>
/** Types in the platform envelope. */
export type PlatformEventType = TypesWith<'platform'>

/** Types that a webhook may select; `subscription.*` go to every webhook and cannot be turned off. */
export const selectableTypes: readonly EventType[] = (Object.keys(catalogue) as EventType[]).filter(
  (type) => catalogue[type].envelope !== 'subscription',
)

/** Whether the catalogue has this type. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(catalogue, type)
}

/** The signature family of a type. */
export function familyOf(type: EventType): Family {
  return catalogue[type].family
}
