import { reasonGroups } from '../base/events/review.ts'
import {
  authorize,
  authorizeApplication,
  authorizeMember,
  permissionsOf,
} from '../kernel/callers/authorize.ts'
import { checkText } from '../kernel/ledger/check-text.ts'
import { checkOneOf, type Errors, wrong } from '../kernel/ledger/input-errors.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { ok, type Result } from '../kernel/ledger/refusal.ts'
import { members } from '../organizations/access/records.ts'
import { prepareReplay } from './callback/replay-callback.ts'
import { checkJson } from './check-input.ts'
import type { ReviewDeps } from './deps.ts'
import type { LoadedCase } from './execution/load-case.ts'
import { type Act, act, actOnCallback, type Prepared } from './execution/run-command.ts'
import type { Scene } from './execution/scene.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

type Commands = Omit<ReviewCaseUseCases, 'open' | 'read' | 'list' | 'listCallbackAttempts'>

export function createCommands(ports: ReviewDeps): Commands {
  const run = (asked: Act) => act(ports, asked)
  return {
    claim: (actor, reviewCaseId, { seen }) =>
      run({
        who: authorizeMember(actor, 'reviewCases'),
        right: 'reviewCases',
        reviewCaseId,
        seen,
        prepare: () => ({ command: { type: 'claim' } }),
      }),
    reassign: (actor, reviewCaseId, { seen, reviewerId }) =>
      run({
        who: authorizeMember(actor, 'reviewCases'),
        right: 'reviewCases',
        reviewCaseId,
        errors: checkText(reviewerId, '/reviewerId', longest.id),
        seen,
        prepare: (loaded, scene) => prepareReassign(loaded, scene, reviewerId),
      }),
    requestFollowUp: (actor, reviewCaseId, { seen, question }) =>
      run({
        who: authorizeMember(actor, 'reviewCases'),
        right: 'reviewCases',
        reviewCaseId,
        errors: checkText(question, '/question', longest.question),
        seen,
        prepare: () => ({ command: { type: 'request_follow_up', question } }),
      }),
    answerFollowUp: (actor, reviewCaseId, { seen, answer }) =>
      run({
        who: authorizeApplication(actor, 'answerCases'),
        right: 'answerCases',
        reviewCaseId,
        errors: checkText(answer, '/answer', longest.answer),
        seen,
        prepare: () => ({ command: { type: 'answer_follow_up', answer } }),
      }),
    decide: (actor, reviewCaseId, { seen, decision, presentationDigest, comment, response }) =>
      run({
        who: authorizeMember(actor, 'reviewCases'),
        right: 'reviewCases',
        reviewCaseId,
        errors: [
          ...checkOneOf(decision, ['approved', 'rejected', 'response_submitted'], '/decision'),
          ...checkText(comment, '/comment', longest.comment),
          ...checkJson(response ?? null, '/response'),
          ...(decision === 'response_submitted' ? checkResponse(response) : []),
        ],
        seen,
        prepare: () => ({
          command: {
            type: 'decide',
            decision,
            presentationDigest,
            comment: comment ?? null,
            response: response ?? null,
          },
        }),
      }),
    cancel: (actor, reviewCaseId, { seen, reasonCategory }) =>
      run({
        who: authorize(actor, 'cancelCases'),
        right: 'cancelCases',
        reviewCaseId,
        errors: [
          ...checkOneOf(reasonCategory, reasonGroups.cancellation, '/reasonCategory'),
          ...(actor.kind === 'member' && !seen ? unseen : []),
        ],
        seen,
        prepare: () => ({ command: { type: 'cancel', reason: reasonCategory } }),
      }),
    reportContinuation: (actor, reviewCaseId, { outcome, detail }) =>
      run({
        who: authorizeApplication(actor, 'answerCases'),
        right: 'answerCases',
        reviewCaseId,
        errors: [
          ...checkOneOf(outcome, reasonGroups.continuation, '/outcome'),
          ...checkText(detail, '/detail', longest.detail),
        ],
        prepare: () => ({
          command: { type: 'report_continuation', outcome, detail: detail ?? null },
        }),
      }),
    replayCallback: (actor, reviewCaseId) =>
      actOnCallback(ports, {
        who: authorizeMember(actor, 'replayCallbacks'),
        right: 'replayCallbacks',
        reviewCaseId,
        prepare: (loaded, scene) => prepareReplay(ports, loaded, scene),
      }),
  }
}

function checkResponse(response: unknown): Errors {
  return (response ?? null) === null
    ? [wrong('/response', 'expected the response that is submitted, got none')]
    : []
}

const unseen: Errors = [wrong('/caseVersion', 'expected the version that was seen, got none')]

/** The reviewer's eligibility is read from their member row, which becomes a check of the commit. */
async function prepareReassign(
  { was }: LoadedCase,
  { unit }: Scene,
  reviewerId: string,
): Promise<Result<Prepared>> {
  const key = [was.row.tenantId, reviewerId] as const
  const [found] = await unit.read([get(members, key)])
  const member = one(members, found)
  const eligible =
    member?.row.status === 'Active' &&
    permissionsOf(member.row.role, member.row.granted).includes('Review Cases')
  return ok({
    command: { type: 'reassign', to: { memberId: reviewerId, eligible } },
    checks: [{ in: members.name, key, version: member?.version ?? 0 }],
  })
}
