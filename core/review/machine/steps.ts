import type { ReviewEventType } from '../../base/events/catalogue.ts'

interface Step {
  /** Its row in the transition table. */
  readonly row: number
  readonly event: ReviewEventType | null
  /** Whether the step raises the case version beside the event sequence. */
  readonly raises: boolean
}

export type StepName =
  | 'created'
  | 'claimed'
  | 'reassigned'
  | 'follow_up_requested'
  | 'follow_up_answered'
  | 'decided'
  | 'cancelled'
  | 'overdue'
  | 'expired'
  | 'callback_attempted'
  | 'callback_received'
  | 'callback_given_up'
  | 'callback_replayed'
  | 'continuation_reported'
  | 'adopted'
  | 'subject_named'
  | 'session_moved'

/** Every step that a case records. */
export const steps: Readonly<Record<StepName, Step>> = {
  created: { row: 1, event: 'review.case.created', raises: true },
  claimed: { row: 2, event: 'review.case.assignment_changed', raises: true },
  reassigned: { row: 3, event: 'review.case.assignment_changed', raises: true },
  follow_up_requested: { row: 4, event: 'review.case.follow_up_required', raises: true },
  follow_up_answered: { row: 5, event: null, raises: true },
  decided: { row: 6, event: 'review.case.decided', raises: true },
  cancelled: { row: 7, event: 'review.case.cancelled', raises: true },
  overdue: { row: 8, event: 'review.case.overdue', raises: true },
  expired: { row: 9, event: 'review.case.expired', raises: true },
  callback_attempted: { row: 10, event: null, raises: false },
  callback_received: { row: 10, event: null, raises: false },
  callback_given_up: { row: 11, event: 'review.continuation.delivery_failed', raises: false },
  callback_replayed: { row: 12, event: null, raises: false },
  continuation_reported: { row: 13, event: 'review.continuation.acknowledged', raises: false },
  adopted: { row: 14, event: null, raises: true },
  subject_named: { row: 15, event: null, raises: false },
  session_moved: { row: 16, event: null, raises: false },
}
