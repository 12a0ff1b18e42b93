import { isDeepStrictEqual } from 'node:util'
import type { ReviewEventType } from '@countersign/core/events'
import { presentationDigest, type ReviewCase, type StepName } from '@countersign/core/internal'
import { digestOf } from '../../base/canonical/digest.ts'
import type { CaseCommand, CommandContext } from '../../review/machine/command.ts'

// The transition table once more, written from its specification and not from the machine.

type Of<T extends CaseCommand['type']> = Extract<CaseCommand, { type: T }>

export interface Row<C extends CaseCommand = CaseCommand> {
  readonly command: C['type']
  /** Whether this row applies; that the time is not up and the version is current goes without saying. */
  from(review: ReviewCase, command: C, context: CommandContext): boolean
  readonly steps: readonly StepName[] | ((command: C) => readonly StepName[])
  /** Null for a row without a public event; a decision of `current` is whatever the case has. */
  readonly event: {
    readonly type: ReviewEventType
    decision(review: ReviewCase, command: C): ReviewCase['decision']
    reason(review: ReviewCase, command: C): string
  } | null
  /** What the row changes beside version, sequence, updatedAt and history. */
  change(review: ReviewCase, command: C, context: CommandContext): Partial<ReviewCase>
}

const mine = (review: ReviewCase, { by }: CommandContext) =>
  review.state === 'open' && by.memberId !== null && review.assigneeId === by.memberId
/** A signature that was given is right; one was given where the member, or the application for this tier, asks for it. */
function isSigned(
  { reviewTier }: ReviewCase,
  { signed, rule, memberSigns }: Of<'decide'>,
): boolean {
  if (signed) return signed.ok
  if (memberSigns || rule.signedDecisions === 'required') return false
  return rule.signedDecisions === 'optional' || reviewTier === 'standard'
}
const shut = ({ state }: ReviewCase) => state !== 'open'
const why = ({ reasonCategory }: ReviewCase) => reasonCategory
const kept = ({ decision }: ReviewCase) => decision
const digest = ({ presentation }: ReviewCase) => presentationDigest(presentation)

/** Whether an application has the case, by its own opening or by an adoption that this opening does not contradict. */
export function isTaken(review: ReviewCase, opening: Of<'adopt'>): boolean {
  if (review.history[0]?.actor !== 'system') return true
  return (
    review.history.some(({ step }) => step === 'adopted') &&
    isDeepStrictEqual(review.presentation?.application, opening.presentation) &&
    [null, review.requestedBy].includes(opening.requestedBy)
  )
}

function closed(context: CommandContext): Partial<ReviewCase> {
  return {
    closedAt: context.now,
    idleSince: null,
    callback: { state: context.callback ? 'pending' : 'none', attempts: 0, lastAttemptAt: null },
  }
}

function row<T extends CaseCommand['type']>(command: T, rest: Omit<Row<Of<T>>, 'command'>): Row {
  return { command, ...rest } as unknown as Row
}

export const table: Readonly<Record<string, Row>> = {
  '2': row('claim', {
    from: (review, _, { by }) =>
      review.state === 'open' &&
      review.assigneeId === null &&
      by.memberId !== null &&
      by.memberId !== review.requestedBy,
    steps: ['claimed'],
    event: {
      type: 'review.case.assignment_changed',
      decision: () => null,
      reason: () => 'claimed',
    },
    change: (review, _, { by, now }) => ({
      assigneeId: by.memberId,
      assignedAt: now,
      idleSince: now,
      presentationDigest: digest(review),
    }),
  }),
  '3': row('reassign', {
    from: (review, { to }, context) =>
      review.state === 'open' &&
      (mine(review, context) || context.by.admin) &&
      to.eligible &&
      to.memberId !== review.assigneeId &&
      to.memberId !== review.requestedBy,
    steps: ['reassigned'],
    event: {
      type: 'review.case.assignment_changed',
      decision: () => null,
      reason: () => 'reassigned',
    },
    change: (review, { to }, { now }) => ({
      assigneeId: to.memberId,
      assignedAt: now,
      idleSince: now,
      presentationDigest: digest(review),
      decision: null,
      // Who had asked waits for no answer any more.
      followUp: review.decision === 'follow_up_required' ? null : review.followUp,
    }),
  }),
  '4': row('request_follow_up', {
    from: (review, _, context) => mine(review, context) && review.decision !== 'follow_up_required',
    steps: ['follow_up_requested'],
    event: {
      type: 'review.case.follow_up_required',
      decision: () => 'follow_up_required',
      reason: why,
    },
    change: (review, { question }, { now }) => ({
      decision: 'follow_up_required',
      followUp: 'asked',
      idleSince: null,
      followUps: [...review.followUps, { question, askedAt: now, answer: null, answeredAt: null }],
    }),
  }),
  '5': row('answer_follow_up', {
    from: (review) => review.state === 'open' && review.decision === 'follow_up_required',
    steps: ['follow_up_answered'],
    event: null,
    change: (review, { answer }, { now }) => {
      const followUps = review.followUps.map((each, at) =>
        at === review.followUps.length - 1 ? { ...each, answer, answeredAt: now } : each,
      )
      const presentation = {
        ...review.presentation,
        followUps: followUps.flatMap(({ question, answer }) =>
          answer === null ? [] : [{ question, answer }],
        ),
      }
      return {
        decision: null,
        followUp: 'answered',
        idleSince: now,
        followUps,
        presentation,
        presentationDigest: presentationDigest(presentation),
      }
    },
  }),
  '6': row('decide', {
    from: (review, command, context) =>
      mine(review, context) &&
      review.requestedBy !== context.by.memberId &&
      command.presentationDigest === review.presentationDigest &&
      isSigned(review, command),
    steps: ['decided'],
    event: { type: 'review.case.decided', decision: (_, { decision }) => decision, reason: why },
    change: (_, { decision, comment, response, reviewer, nonces, signed }, context) => ({
      ...closed(context),
      state: 'decided',
      decision,
      decidedBy: context.by.memberId,
      reviewerComment: comment,
      response,
      reviewer,
      nonces,
      decisionSignature: signed?.ok ? signed.value : null,
      commentDigest: comment === null ? null : digestOf([nonces.comment, comment]),
      responseDigest: response === null ? null : digestOf([nonces.response, response]),
    }),
  }),
  '7': row('cancel', {
    from: ({ state }) => state === 'open',
    steps: ['cancelled'],
    event: {
      type: 'review.case.cancelled',
      decision: () => 'cancelled',
      reason: (_, { reason }) => reason,
    },
    change: (_, { reason }, context) => ({
      ...closed(context),
      state: 'cancelled',
      decision: 'cancelled',
      cancellationReason: reason,
    }),
  }),
  '8': row('deadline', {
    from: ({ state, overdueAt, dueAt }, _, { now }) =>
      state === 'open' && overdueAt === null && now >= dueAt,
    steps: ['overdue'],
    event: { type: 'review.case.overdue', decision: kept, reason: () => 'overdue' },
    change: (_, __, { now }) => ({ overdueAt: now }),
  }),
  '10': row('callback_settled', {
    from: (review, { outcome, attempts }) =>
      shut(review) && review.callback.state === 'pending' && outcome !== 'given_up' && attempts > 0,
    steps: ({ outcome }) => [outcome === 'received' ? 'callback_received' : 'callback_attempted'],
    event: null,
    change: ({ callback }, { outcome, attempts }, { now }) => ({
      callback: {
        state: outcome === 'received' ? 'received' : 'pending',
        attempts: callback.attempts + attempts,
        lastAttemptAt: now,
      },
    }),
  }),
  '11': row('callback_settled', {
    from: (review, { outcome }) =>
      shut(review) && review.callback.state === 'pending' && outcome === 'given_up',
    steps: ({ attempts }) =>
      attempts > 0 ? ['callback_attempted', 'callback_given_up'] : ['callback_given_up'],
    event: {
      type: 'review.continuation.delivery_failed',
      decision: kept,
      reason: () => 'callback_delivery_failed',
    },
    change: ({ callback }, { attempts }, { now }) => ({
      callback:
        attempts > 0
          ? { state: 'failed', attempts: callback.attempts + attempts, lastAttemptAt: now }
          : { ...callback, state: 'failed' },
    }),
  }),
  '12': row('replay_callback', {
    from: (review) => shut(review) && ['failed', 'none'].includes(review.callback.state),
    steps: ['callback_replayed'],
    event: null,
    change: ({ callback }) => ({ callback: { ...callback, state: 'pending', attempts: 0 } }),
  }),
  '13': row('report_continuation', {
    from: (review, { outcome }) =>
      shut(review) &&
      (review.continuation === null ||
        (review.continuation.outcome === 'remained_paused' && outcome !== 'remained_paused')),
    steps: ['continuation_reported'],
    event: {
      type: 'review.continuation.acknowledged',
      decision: kept,
      reason: (_, { outcome }) => outcome,
    },
    change: (_, { outcome, detail }, { now }) => ({
      continuation: { outcome, reportedAt: now, detail },
    }),
  }),
  '14': row('adopt', {
    from: (review, { requestedBy }) =>
      review.state === 'open' &&
      review.history[0]?.actor === 'system' &&
      review.history.every(({ step }) => step !== 'adopted') &&
      (review.assigneeId === null || (review.requestedBy ?? requestedBy) !== review.assigneeId),
    steps: ['adopted'],
    event: null,
    change: (review, { presentation: application, resumeToken, requestedBy, dataSubjectId }) => {
      const presentation = { ...review.presentation, application }
      return {
        presentation,
        presentationDigest:
          review.presentationDigest === null ? null : presentationDigest(presentation),
        resumeToken: review.resumeToken === null ? resumeToken : review.resumeToken,
        requestedBy: review.requestedBy === null ? requestedBy : review.requestedBy,
        dataSubjectId: dataSubjectId ?? null,
      }
    },
  }),
  '15': row('adopt', {
    from: (review, command) =>
      review.state === 'open' &&
      isTaken(review, command) &&
      review.dataSubjectId === null &&
      typeof command.dataSubjectId === 'string' &&
      [null, command.dataSubjectId].includes(command.subjectOfPlace ?? null),
    steps: ['subject_named'],
    event: null,
    change: (_, { dataSubjectId }) => ({ dataSubjectId: dataSubjectId ?? null }),
  }),
  '16': row('move_session', {
    from: (review, { sessionId }) => review.sessionId !== sessionId,
    steps: ['session_moved'],
    event: null,
    change: (_, { sessionId }) => ({ sessionId }),
  }),
}

/** Commands that need the version which the caller saw (3, 4, 5, 6 and a human's 7); a claim looks at it last. */
export const versioned: readonly CaseCommand['type'][] = [
  'claim',
  'reassign',
  'request_follow_up',
  'answer_follow_up',
  'decide',
  'cancel',
]

export const forClosed: readonly CaseCommand['type'][] = [
  'callback_settled',
  'replay_callback',
  'report_continuation',
]
