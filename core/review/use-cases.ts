import type { Actor } from '../access/actor.ts'
import type { Listing, ListQuery } from '../ledger/listing.ts'
import type { Result } from '../ledger/refusal.ts'
import type {
  CancellationReason,
  CaseFilter,
  CaseRow,
  CaseView,
  ContinuationOutcome,
  DecideCase,
  OpenCase,
  Seen,
} from './view.ts'

/** Every command answers with the case as it is after it. */
export interface ReviewCaseUseCases {
  open(actor: Actor, input: OpenCase): Promise<Result<CaseView>>
  read(actor: Actor, reviewCaseId: string): Promise<Result<CaseView>>
  /** Newest first. */
  list(actor: Actor, filter: CaseFilter, query: ListQuery): Promise<Result<Listing<CaseRow>>>
  claim(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen?: Seen },
  ): Promise<Result<CaseView>>
  reassign(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen: Seen; readonly reviewerId: string },
  ): Promise<Result<CaseView>>
  requestFollowUp(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen: Seen; readonly question: string },
  ): Promise<Result<CaseView>>
  answerFollowUp(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly seen: Seen; readonly answer: string },
  ): Promise<Result<CaseView>>
  decide(actor: Actor, reviewCaseId: string, input: DecideCase): Promise<Result<CaseView>>
  cancel(
    actor: Actor,
    reviewCaseId: string,
    /** A member must say what they saw; the application and the system need not. */
    input: { readonly seen?: Seen; readonly reasonCategory: CancellationReason },
  ): Promise<Result<CaseView>>
  reportContinuation(
    actor: Actor,
    reviewCaseId: string,
    input: { readonly outcome: ContinuationOutcome; readonly detail?: string | null },
  ): Promise<Result<CaseView>>
  replayCallback(actor: Actor, reviewCaseId: string): Promise<Result<CaseView>>
}
