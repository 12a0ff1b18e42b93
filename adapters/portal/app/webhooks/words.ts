import type { WebhookAnswer } from '@countersign/client'

type Selected = WebhookAnswer['eventTypes'][number]
/** A type of event that a webhook can select. */
export type EventType = Exclude<Selected, '*'>

/** What each event says that happened. A type without words does not compile. */
export const eventWords: Readonly<Record<EventType, string>> = {
  'review.case.created': 'A case was opened',
  'review.case.assignment_changed': 'A case was taken or handed over',
  'review.case.follow_up_required': 'A reviewer asked a question',
  'review.case.decided': 'A case was decided',
  'review.case.cancelled': 'A case was cancelled',
  'review.case.expired': 'A case expired without a decision',
  'review.case.overdue': 'A case is overdue',
  'review.continuation.acknowledged': 'The application reported what it did then',
  'review.continuation.delivery_failed': 'The outcome did not reach the application',
  'alert.triggered': 'An alert went off',
  'alert.resolved': 'An alert is over',
  'session.flagged': 'A session was flagged',
  'session.review.approved': 'A session passed its review',
  'session.review.rejected': 'A session failed its review',
  'governance.threshold_breached': 'The governance score fell below its threshold',
  'gdpr.erasure_completed': 'A data subject’s data was erased',
  'gdpr.legal_hold_placed': 'A legal hold was placed',
  'application.purge_completed': 'An application was removed',
  'quality.score_computed': 'The quality of a session was scored',
  'evidence_package.ready': 'A package of evidence is ready',
  'session.completed': 'A session ended',
  'application.promoted': 'An application reached another stage',
  'health.status_changed': 'The health of an application changed',
  'compliance.rule_violation': 'A policy rule was violated',
}

/** The types in the order in which they are listed. */
export const eventTypes = Object.keys(eventWords) as readonly EventType[]

/** Why a webhook is off, and what turns it on again. */
export const reasons: Readonly<Record<NonNullable<WebhookAnswer['statusReason']>, string>> = {
  owner: 'A member turned it off.',
  retries_exhausted:
    'It answered nothing but failures for three days, so the service turned it off.',
  endpoint_gone: 'Its address answered 410 Gone, so nothing is sent there any more.',
}

/** What is known of whether the receiver is the organization’s own. */
export const verifications: Readonly<Record<WebhookAnswer['verification']['state'], string>> = {
  pending: 'Gets events; its answer to the challenge is awaited',
  verified: 'Verified',
  failed: 'The challenge was not answered as it should',
}

/** How messages are signed. */
export const methods: Readonly<Record<WebhookAnswer['signing']['method'], string>> = {
  ed25519: 'Ed25519, with the organization’s key',
  shared_secret: 'HMAC-SHA256, with a shared secret',
}

/** The events of a webhook or a chat channel in a few words. */
export function selectionOf({ eventTypes: selected }: Pick<WebhookAnswer, 'eventTypes'>): string {
  if (selected.some((type) => type === '*')) return 'all events'
  return selected.length === 1 ? '1 type of event' : `${selected.length} types of events`
}
