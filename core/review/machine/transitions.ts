import { digestOf } from '../../base/canonical/digest.ts'
import { followUpsPerCase } from '../../kernel/ledger/limits.ts'
import { type Refusal, refuse } from '../../kernel/ledger/refusal.ts'
import type { ReviewCase } from '../records.ts'
import type { FollowUpRecord } from '../shapes.ts'
import type { CaseCommand, CommandContext } from './command.ts'
import { presentationDigest, withAnswers } from './presentation-digest.ts'
import type { Move } from './record-steps.ts'
import { type Command, move, no, nothing, type RowVerdict, requesterDetail } from './row-verdict.ts'
import { mustBeSigned } from './signed-decisions.ts'

/** 2, 2b, 2c. Report `already_assigned` before a stale version. */
export function claim(
  review: ReviewCase,
  { by, now }: CommandContext,
  stale: Refusal | null,
): RowVerdict {
  if (by.memberId === review.requestedBy) return no('requester_cannot_review', requesterDetail)
  if (by.memberId === review.assigneeId) return nothing
  if (review.assigneeId !== null)
    return no('already_assigned', 'the case is already assigned to another reviewer')
  if (stale) return { refusal: stale }
  return move('claimed', 'claimed', assignment(review, by.memberId, now))
}

/** Refuses an actor without the right to the row, before state and version are judged (interface, Errors). */
export function denied(
  review: ReviewCase,
  command: CaseCommand,
  context: CommandContext,
): Refusal | null {
  if (command.type !== 'reassign' || context.by.admin || isAssignee(review, context)) return null
  return refuse('forbidden', 'needs the assigned reviewer or the role CustomerAdmin').refusal
}

/** 3: a pending follow-up ends, its question stays. */
export function reassign(
  review: ReviewCase,
  { to }: Command<'reassign'>,
  context: CommandContext,
): RowVerdict {
  const { now } = context
  if (to.memberId === review.assigneeId)
    return no('already_assigned', 'the case is already assigned to that reviewer')
  if (to.memberId === review.requestedBy) return no('requester_cannot_review', requesterDetail)
  if (!to.eligible)
    return no(
      'reviewer_not_eligible',
      'expected an active member of the organization who holds the permission Review Cases',
    )
  return move('reassigned', 'reassigned', {
    ...assignment(review, to.memberId, now),
    decision: null,
    followUp: review.followUp === 'asked' ? null : review.followUp,
  })
}

/** 4: one question waits at a time. */
export function requestFollowUp(
  review: ReviewCase,
  { question }: Command<'request_follow_up'>,
  context: CommandContext,
): RowVerdict {
  if (!isAssignee(review, context)) return notYours
  if (review.decision === 'follow_up_required')
    return no('follow_up_pending', 'a question waits for its answer already')
  if (review.followUps.length >= followUpsPerCase)
    return no('follow_up_limit', `the case has ${followUpsPerCase} questions, expected fewer`)
  const asked: FollowUpRecord = {
    question,
    askedAt: context.now,
    answer: null,
    answeredAt: null,
  }
  return move('follow_up_requested', review.reasonCategory, {
    decision: 'follow_up_required',
    followUp: 'asked',
    idleSince: null,
    followUps: [...review.followUps, asked],
  })
}

/** 5 */
export function answerFollowUp(
  review: ReviewCase,
  { answer }: Command<'answer_follow_up'>,
  { now }: CommandContext,
): RowVerdict {
  const pending = review.followUps.at(-1)
  if (review.decision !== 'follow_up_required' || !pending)
    return no('invalid_transition', 'no follow-up is pending')
  const followUps = [...review.followUps.slice(0, -1), { ...pending, answer, answeredAt: now }]
  const presentation = withAnswers(review.presentation, followUps)
  return move('follow_up_answered', review.reasonCategory, {
    decision: null,
    followUp: 'answered',
    idleSince: now,
    followUps,
    presentation,
    presentationDigest: presentationDigest(presentation),
  })
}

/** 6 */
export function decideOutcome(
  review: ReviewCase,
  command: Command<'decide'>,
  context: CommandContext,
): RowVerdict {
  const { by } = context
  if (!isAssignee(review, context)) return notYours
  if (by.memberId === review.requestedBy) return no('requester_cannot_review', requesterDetail)
  if (command.presentationDigest !== review.presentationDigest)
    return no(
      'presentation_changed',
      `expected the digest of what is shown now, ${review.presentationDigest}, got ${command.presentationDigest}`,
    )
  const { signed, rule, memberSigns } = command
  if (signed && !signed.ok) return { refusal: signed.refusal }
  if (!signed && mustBeSigned(review.reviewTier, rule, memberSigns))
    return no(
      'signature_required',
      memberSigns
        ? 'you have an authenticator that signs, and so sign each decision'
        : `decisions on cases of the tier ${review.reviewTier} must be signed`,
    )
  return move('decided', review.reasonCategory, {
    ...closing(context),
    state: 'decided',
    decision: command.decision,
    decidedBy: by.memberId,
    reviewerComment: command.comment,
    response: command.response,
    reviewer: command.reviewer,
    decisionSignature: signed?.value ?? null,
    ...(command.viewedMs !== undefined && { viewedMs: command.viewedMs }),
    ...saltedDigests(command),
  })
}

/** Digests of what a reviewer wrote, each over a nonce, so that nothing can be guessed once text and nonce are erased. */
function saltedDigests({
  comment,
  response,
  nonces,
}: Command<'decide'>): Pick<ReviewCase, 'commentDigest' | 'responseDigest' | 'nonces'> {
  return {
    commentDigest: comment === null ? null : digestOf([nonces.comment, comment]),
    responseDigest: response === null ? null : digestOf([nonces.response, response]),
    nonces,
  }
}

/** 7 */
export function cancel(
  _: ReviewCase,
  { reason }: Command<'cancel'>,
  context: CommandContext,
): RowVerdict {
  return move('cancelled', reason, {
    ...closing(context),
    state: 'cancelled',
    decision: 'cancelled',
    cancellationReason: reason,
  })
}

/** 8. Expiry, 9, is decided before any command. */
export function overdue(review: ReviewCase, { now }: CommandContext): RowVerdict {
  if (now < review.dueAt || review.overdueAt !== null) return nothing
  return move('overdue', 'overdue', { overdueAt: now })
}

/** 9 */
export function expire(context: CommandContext): Move {
  return {
    step: 'expired',
    reason: 'expired',
    change: { ...closing(context), state: 'expired', decision: 'expired' },
  }
}

/** 10; also 11 when the callback was given up. */
export function settleCallback(
  review: ReviewCase,
  { outcome, attempts }: Command<'callback_settled'>,
  { now }: CommandContext,
): RowVerdict {
  const { callback } = review
  if (callback.state !== 'pending')
    return no('invalid_transition', `the outcome callback is ${callback.state}, expected pending`)
  const attempted = attempts > 0
  const tried = attempted
    ? { ...callback, attempts: callback.attempts + attempts, lastAttemptAt: now }
    : callback
  const received = outcome === 'received'
  const moves: Move[] = []
  if (attempted)
    moves.push({
      step: received ? 'callback_received' : 'callback_attempted',
      reason: review.reasonCategory,
      change: { callback: received ? { ...tried, state: 'received' } : tried },
    })
  if (outcome === 'given_up')
    moves.push({
      step: 'callback_given_up',
      reason: 'callback_delivery_failed',
      change: { callback: { ...tried, state: 'failed' } },
    })
  return { moves }
}

/** 12: a new round of attempts, or the first where no callback was set when the case closed. */
export function replayCallback(review: ReviewCase): RowVerdict {
  const { callback } = review
  if (!isReplayable(callback.state))
    return no(
      'invalid_transition',
      `the outcome callback is ${callback.state}, expected failed or none`,
    )
  return move('callback_replayed', review.reasonCategory, {
    callback: { ...callback, state: 'pending', attempts: 0 },
  })
}

/** Whether a closed case's callback can be sent again, or for the first time. */
export function isReplayable(state: ReviewCase['callback']['state']): boolean {
  return state === 'failed' || state === 'none'
}

/** 13: a repeat changes nothing; only after `remained_paused` may another outcome be reported. */
export function reportContinuation(
  { continuation }: ReviewCase,
  { outcome, detail }: Command<'report_continuation'>,
  { now }: CommandContext,
): RowVerdict {
  if (continuation?.outcome === outcome) return nothing
  if (continuation && continuation.outcome !== 'remained_paused')
    return no(
      'continuation_conflict',
      `${continuation.outcome} was reported before, got ${outcome}`,
    )
  return move('continuation_reported', outcome, {
    continuation: { outcome, reportedAt: now, detail },
  })
}

/** 16: in any state; what the case shows names its session, so that its position has to tell of it. */
export function moveSession(
  review: ReviewCase,
  { sessionId }: Command<'move_session'>,
): RowVerdict {
  if (sessionId === review.sessionId) return nothing
  return move('session_moved', review.reasonCategory, { sessionId })
}

const notYours = no('invalid_transition', 'the case is not assigned to you')

function isAssignee(review: ReviewCase, { by }: CommandContext): boolean {
  return by.memberId !== null && by.memberId === review.assigneeId
}

function assignment(review: ReviewCase, assigneeId: string | null, now: number): Move['change'] {
  return {
    assigneeId,
    assignedAt: now,
    idleSince: now,
    presentationDigest: presentationDigest(review.presentation),
  }
}

function closing({ now, callback }: CommandContext): Move['change'] {
  return {
    closedAt: now,
    idleSince: null,
    callback: { state: callback ? 'pending' : 'none', attempts: 0, lastAttemptAt: null },
  }
}
