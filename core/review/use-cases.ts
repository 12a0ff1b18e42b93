import type { Actor } from '../kernel/callers/actor.ts'
import type { Listing, ListQuery } from '../kernel/ledger/listing.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
import type {
  CallbackAttemptView,
  CancellationReason,
  CaseCallbackView,
  CaseFilter,
  CaseRow,
  CaseView,
  ContinuationOutcome,
  DecideCase,
  OpenCase,
  SeenVersion,
} from './view.ts'

/**
 * Review cases. Every command answers with the case after it; `version_conflict` brings the current case in
 * `facts.case`. A member's command on a case of an application that is being deleted is `application_gone`. Each may
 * refuse as `Service` says besides.
 */
export interface ReviewCaseUseCases {
  /**
   * Opens a case at a checkpoint, by an application. A second open at the same checkpoint, or under the same
   * `idempotencyKey`, answers with the first case; one that a policy opened is adopted. Refuses
   * with `invalid_request`, `idempotency_conflict`, `requester_cannot_review` where the requester is the assignee of the
   * adopted case, `case_too_large`, `not_found` where the case of a repeated key is gone.
   */
  open(actor: Actor, input: OpenCase): Promise<Result<CaseView>>
  /**
   * One case, by a reviewer or by its own application; expires it first when its time is up. Refuses with
   * `not_found`.
   */
  read(actor: Actor, reviewCaseId: string): Promise<Result<CaseView>>
  /**
   * The tenant's cases for its reviewers, newest first; rows are read as they are asked for. Refuses with
   * `invalid_request`.
   */
  list(actor: Actor, filter: CaseFilter, query: ListQuery): Promise<Result<Listing<CaseRow>>>
  /**
   * The attempts to send the case's outcome callback, by its reviewers: those of seven days, newest first, read as they
   * are asked for. Refuses with `not_found`, `invalid_request`.
   */
  listCallbackAttempts(
    actor: Actor,
    reviewCaseId: string,
    query: ListQuery,
  ): Promise<Result<Listing<CallbackAttemptView>>>
  /**
   * Assigns the case to the member; a repeat by the assignee changes nothing. Refuses with `not_found`,
   * `case_expired`, `invalid_transition` for a closed case, `requester_cannot_review`, `already_assigned`,
   * `version_conflict`.
   */
  claim(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen?: SeenVersion },
  ): Promise<Result<CaseView>>
  /**
   * Assigns the case to another reviewer, by the assignee or a CustomerAdmin; ends a pending follow-up. Refuses with
   * `not_found`, `invalid_request`, `version_conflict`, `case_expired`, `invalid_transition`, `already_assigned`,
   * `requester_cannot_review`, `reviewer_not_eligible`.
   */
  reassign(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen: SeenVersion; readonly reviewerId: string },
  ): Promise<Result<CaseView>>
  /**
   * Asks the application a question, by the assignee. Refuses with `not_found`, `invalid_request`,
   * `version_conflict`, `case_expired`, `invalid_transition`, `follow_up_pending`, `follow_up_limit`,
   * `case_too_large`.
   */
  requestFollowUp(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen: SeenVersion; readonly question: string },
  ): Promise<Result<CaseView>>
  /**
   * Answers the pending question, by the application; changes the presentation and its digest. Refuses with
   * `not_found`, `invalid_request`, `version_conflict`, `case_expired`, `invalid_transition`, `case_too_large`.
   */
  answerFollowUp(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen: SeenVersion; readonly answer: string },
  ): Promise<Result<CaseView>>
  /**
   * Decides the case, by the assignee, on the presentation whose digest is given; owes the outcome callback. Refuses
   * with `not_found`, `invalid_request`, `version_conflict`, `case_expired`, `invalid_transition`,
   * `requester_cannot_review`, `presentation_changed`, `case_too_large`.
   */
  decide(actor: Actor, reviewCaseId: string, input: DecideCase): Promise<Result<CaseView>>
  /**
   * Cancels the case, by its application, a CustomerAdmin or the system; owes the outcome callback. Refuses with
   * `not_found`, `invalid_request`, `version_conflict`, `case_expired`, `invalid_transition`.
   */
  cancel(
    actor: Actor,
    reviewCaseId: string,
    /** A member must say what they saw; the application and the system need not. */
    input: { readonly seen?: SeenVersion; readonly reasonCategory: CancellationReason },
  ): Promise<Result<CaseView>>
  /**
   * Records what the application did after the outcome; a repeat of the same outcome changes nothing. Refuses with
   * `not_found`, `invalid_request`, `invalid_transition` for an open case, `continuation_conflict`, `case_too_large`.
   */
  reportContinuation(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly outcome: ContinuationOutcome; readonly detail?: string | null },
  ): Promise<Result<CaseView>>
  /**
   * Sends the outcome callback again after it was given up; members who may not read the case are answered with its
   * callback alone. Refuses with `not_found`, `callback_not_configured`,
   * `callback_gone`, `invalid_transition`.
   */
  replayCallback(actor: Actor, reviewCaseId: string): Promise<Result<CaseView | CaseCallbackView>>
}
