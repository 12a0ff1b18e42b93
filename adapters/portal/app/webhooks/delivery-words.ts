import type { DeliveryAnswer, DeliveryAttemptAnswer } from '@countersign/client'
import { type EventType, eventWords } from './words.ts'

export type DeliveryStatus = DeliveryAnswer['status']

/** How far a delivery is, in words. */
export const statusWords: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'waiting',
  delivering: 'under way',
  retry_scheduled: 'to be tried again',
  delivered: 'delivered',
  dead_lettered: 'given up',
}

/** The statuses that a list can be narrowed down to. */
export const listed = ['dead_lettered', 'retry_scheduled', 'pending', 'delivered'] as const

/** Why an attempt was made. */
export const triggers: Readonly<Record<DeliveryAttemptAnswer['trigger'], string>> = {
  event: 'the event',
  retry: 'a retry',
  test: 'a test',
  replay: 'sent again by a person',
  verification: 'a challenge',
}

/** Notices about the webhook itself, which no one selects. */
const noticeWords: Readonly<Record<string, string>> = {
  'subscription.verification_requested': 'A challenge for the receiver',
  'subscription.disabled': 'The webhook was turned off',
  'subscription.signing_key_rotating': 'The webhook’s secret was rotated',
  'subscription.events_missed': 'Events were missed while it was off',
}

/** What a type says that happened; a type of later releases as it came. */
export function typeWords(type: string): string {
  return eventWords[type as EventType] ?? noticeWords[type] ?? type
}

/** All types that a list of deliveries can be narrowed down to. */
export const deliveredTypes = [...Object.keys(eventWords), ...Object.keys(noticeWords)]

/** The last answer of an endpoint in a few words. */
export function answerOf(status: number | null, error: string | null, isTried: boolean): string {
  return error ?? (status === null ? (isTried ? 'no answer' : '–') : String(status))
}
