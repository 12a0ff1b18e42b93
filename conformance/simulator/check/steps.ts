// The transition table once more, written apart from the core, so that both must agree (interface, Transition table).

interface Row {
  readonly event: string | null
  readonly raises: boolean
  readonly decisions: readonly (string | null)[]
}

const any = [
  null,
  'approved',
  'rejected',
  'follow_up_required',
  'response_submitted',
  'cancelled',
  'expired',
] as const
const ended = ['approved', 'rejected', 'response_submitted', 'cancelled', 'expired'] as const

export const rows: Readonly<Record<string, Row>> = {
  created: { event: 'review.case.created', raises: true, decisions: [null] },
  claimed: { event: 'review.case.assignment_changed', raises: true, decisions: [null] },
  reassigned: { event: 'review.case.assignment_changed', raises: true, decisions: [null] },
  follow_up_requested: {
    event: 'review.case.follow_up_required',
    raises: true,
    decisions: ['follow_up_required'],
  },
  follow_up_answered: { event: null, raises: true, decisions: any },
  decided: {
    event: 'review.case.decided',
    raises: true,
    decisions: ['approved', 'rejected', 'response_submitted'],
  },
  cancelled: { event: 'review.case.cancelled', raises: true, decisions: ['cancelled'] },
  overdue: {
    event: 'review.case.overdue',
    raises: true,
    decisions: [null, 'follow_up_required'],
  },
  expired: { event: 'review.case.expired', raises: true, decisions: ['expired'] },
  callback_attempted: { event: null, raises: false, decisions: any },
  callback_received: { event: null, raises: false, decisions: any },
  callback_given_up: {
    event: 'review.continuation.delivery_failed',
    raises: false,
    decisions: ended,
  },
  callback_replayed: { event: null, raises: false, decisions: any },
  continuation_reported: {
    event: 'review.continuation.acknowledged',
    raises: false,
    decisions: ended,
  },
  adopted: { event: null, raises: true, decisions: [null, 'follow_up_required'] },
  subject_named: { event: null, raises: false, decisions: [null, 'follow_up_required'] },
  session_moved: { event: null, raises: false, decisions: any },
}

export const terminal: readonly string[] = ['decided', 'cancelled', 'expired']
