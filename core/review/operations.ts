import { reasonGroups } from '../base/events/review.ts'
import { authorize, permissionsOf } from '../kernel/callers/authorize.ts'
import { type Errors, refuseErrors, wrong } from '../kernel/ledger/input-errors.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { operationsWith } from '../kernel/operation.ts'
import { rowUnder } from '../kernel/query.ts'
import { line, oneOf, type RowsOf, text } from '../kernel/shape.ts'
import { orNull } from '../kernel/wrap.ts'
import { members } from '../organizations/access/records.ts'
import { prepareReplay } from './callback/replay-callback.ts'
import type { ReviewHost } from './deps.ts'
import { act, ahead, foundCase } from './execution/act.ts'
import { shownAt } from './execution/shown-at.ts'
import { findCase } from './find-case.ts'
import { ofCase, seenCase } from './inputs.ts'
import { listCallbackAttempts, listCases } from './lists.ts'
import { openCase } from './open-case.ts'
import { caseShape, replayedShape } from './shapes.ts'
import { decideCase, stateDecision } from './signing/decide-case.ts'

const { command } = operationsWith<ReviewHost>()
const { reviewCaseId } = seenCase
const gives = caseShape

/** Codes that each command on a case may be refused with; `stale`: of commands that name the version seen. */
const always = ['not_found', 'application_gone', 'invalid_transition', 'case_expired'] as const
const stale = [...always, 'version_conflict'] as const

/**
 * The case as it is now, for the application that opened it and for reviewers. From `expiresAt` on it is shown as
 * expired, before its deadline or the next command records that; while its data subject is being erased, as cancelled.
 * A command, though it writes nothing, so that members are authorized by their current rows.
 */
export const readCase = command({
  name: 'reviewCases.read',
  doc: 'Read a case',
  by: ['member', 'application', 'system'],
  right: 'readCases',
  takes: { reviewCaseId },
  gives,
  refuses: ['not_found'],
  ahead,
  run: async (unit, { reviewCaseId }) => shownAt(unit, await foundCase(unit, reviewCaseId)),
})

/** Assigns the case to the member; a repeat by the assignee changes nothing. */
export const claimCase = command({
  name: 'reviewCases.claim',
  doc: 'Take an unassigned case',
  right: 'reviewCases',
  takes: ofCase,
  also: faultsOfSeen,
  gives,
  refuses: [...stale, 'already_assigned', 'requester_cannot_review'],
  ahead,
  run: (unit, seen) => act(unit, seen, { type: 'claim' }),
})

/** Assigns the case to another reviewer, by the assignee or a CustomerAdmin; ends a pending follow-up. */
export const reassignCase = command({
  name: 'reviewCases.reassign',
  doc: 'Hand a case to another reviewer',
  right: 'reviewCases',
  takes: { ...seenCase, reviewerId: line(longest.id) },
  gives,
  refuses: [
    ...stale,
    'already_assigned',
    'requester_cannot_review',
    'reviewer_not_eligible',
    'forbidden',
  ],
  ahead,
  run: (unit, { reviewerId, ...seen }) =>
    act(unit, seen, async () => {
      const { member } = await unit.ask({
        member: rowUnder(members, [unit.by.tenantId, reviewerId]),
      })
      const eligible =
        member?.row.status === 'Active' &&
        permissionsOf(member.row.role, member.row.granted).includes('Review Cases')
      return { type: 'reassign', to: { memberId: reviewerId, eligible } }
    }),
})

/** Asks the application a question, by the assignee. */
export const requestFollowUp = command({
  name: 'reviewCases.requestFollowUp',
  doc: 'Ask the application a question',
  right: 'reviewCases',
  takes: { ...seenCase, question: text(longest.question) },
  gives,
  refuses: [...stale, 'follow_up_pending', 'follow_up_limit', 'case_too_large'],
  ahead,
  run: (unit, { question, ...seen }) => act(unit, seen, { type: 'request_follow_up', question }),
})

/** Answers the pending question, by the application; changes the presentation and its digest. */
export const answerFollowUp = command({
  name: 'reviewCases.answerFollowUp',
  doc: "Answer the reviewer's question",
  by: 'application',
  right: 'answerCases',
  takes: { ...seenCase, answer: text(longest.answer) },
  gives,
  refuses: [...stale, 'case_too_large'],
  ahead,
  run: (unit, { answer, ...seen }) => act(unit, seen, { type: 'answer_follow_up', answer }),
})

/** Cancels the case, by its application, a CustomerAdmin or the system; owes the outcome callback. */
export const cancelCase = command({
  name: 'reviewCases.cancel',
  doc: 'Cancel a case that needs no decision any more',
  by: ['member', 'application', 'system'],
  right: 'cancelCases',
  takes: { ...ofCase, reasonCategory: oneOf(reasonGroups.cancellation) },
  also: faultsOfSeen,
  gives,
  refuses: [...stale, 'invalid_request'],
  ahead,
  async run(unit, { reasonCategory, ...seen }) {
    // The application and the system need not have seen the case.
    if (unit.by.kind === 'member' && seen.caseVersion === undefined)
      unit.orRefuse(refuseErrors([unseen]))
    return act(unit, seen, { type: 'cancel', reason: reasonCategory })
  },
})

const unseen = {
  ...wrong('/caseVersion', 'expected the version that was seen, got none'),
  code: 'required',
}

/** A sequence alone names no version: the command would act on whatever the case has become. */
function faultsOfSeen({ caseVersion, eventSequence }: RowsOf<typeof ofCase>): Errors {
  return eventSequence !== undefined && caseVersion === undefined ? [unseen] : []
}

/** Records what the application did after the outcome; a repeat of the same outcome changes nothing. */
export const reportContinuation = command({
  name: 'reviewCases.reportContinuation',
  doc: 'Report what the application did after the outcome',
  by: 'application',
  right: 'answerCases',
  takes: {
    reviewCaseId,
    outcome: oneOf(reasonGroups.continuation),
    detail: orNull(text(longest.detail)),
  },
  gives,
  refuses: [...always, 'continuation_conflict'],
  ahead,
  run: (unit, { reviewCaseId, ...report }) =>
    act(unit, { reviewCaseId }, { type: 'report_continuation', ...report }),
})

/**
 * Sends the outcome callback again after it was given up; members who may not read the case are answered with its
 * callback alone.
 */
export const replayCallback = command({
  name: 'reviewCases.replayCallback',
  doc: 'Send a failed outcome callback again',
  right: 'replayCallbacks',
  takes: { reviewCaseId },
  gives: replayedShape,
  refuses: [...always, 'callback_not_configured', 'callback_gone'],
  ahead,
  async run(unit, asked) {
    const view = await act(unit, asked, (found, scene) => prepareReplay(unit, found, scene))
    const { reviewCaseId, callback } = view
    return authorize(unit.by, 'readCases').ok ? view : { reviewCaseId, callback }
  },
})

/** What can be done with review cases. */
export const reviewCaseOperations = [
  openCase,
  findCase,
  readCase,
  listCases,
  listCallbackAttempts,
  claimCase,
  reassignCase,
  requestFollowUp,
  answerFollowUp,
  stateDecision,
  decideCase,
  cancelCase,
  reportContinuation,
  replayCallback,
] as const
