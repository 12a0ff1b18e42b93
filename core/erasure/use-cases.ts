import type { Actor } from '../access/actor.ts'
import type { ListQuery } from '../ledger/listing.ts'
import type { PartOf } from '../ledger/read-part.ts'
import type { Result } from '../ledger/refusal.ts'
import type { ErasureCertificate } from '../proof/model.ts'
import type { ErasureReason } from './records.ts'
import type { ErasureView, HoldView, SubjectView } from './view.ts'

/**
 * Erasure, legal holds and what is held of a data subject. A subject is named by the id that the application gave, or by
 * its pseudonym. Each may refuse as `Service` says besides.
 */
export interface PrivacyUseCases {
  /** What is held of a subject; recorded in the audit log. Refuses with `invalid_request`. */
  lookupSubject(
    actor: Actor,
    input: { readonly dataSubjectId: string },
  ): Promise<Result<SubjectView>>
  /**
   * Asks for the erasure of a subject's data in one application or in all; answers with the request that is under way
   * where there is one. Refuses with `invalid_request`, `not_found` for a subject without data.
   */
  requestErasure(
    actor: Actor,
    input: {
      readonly dataSubjectId: string
      readonly applicationId?: string | null
      readonly reason: ErasureReason
      readonly confirm: true
    },
  ): Promise<Result<ErasureView>>
  /** A part of the tenant's requests, newest first. Refuses with `invalid_request`. */
  listErasures<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, ErasureView>>>
  /** One request. Refuses with `not_found`. */
  readErasure(actor: Actor, erasureRequestId: string): Promise<Result<ErasureView>>
  /** Rejects a request before its first key is destroyed. Refuses with `not_found`, `invalid_transition`. */
  rejectErasure(
    actor: Actor,
    erasureRequestId: string,
    input: { readonly reason: string },
  ): Promise<Result<ErasureView>>
  /** The signed certificate of a completed erasure. Refuses with `not_found`, also before it is completed. */
  erasureCertificate(actor: Actor, erasureRequestId: string): Promise<Result<ErasureCertificate>>
  /**
   * Places a legal hold, also on a subject without data. Refuses with `invalid_request`, `not_found` for an unknown
   * application, `invalid_transition` once an erasure of the subject has begun.
   */
  placeHold(
    actor: Actor,
    input: {
      readonly dataSubjectId: string
      readonly applicationId?: string | null
      readonly matter: string
    },
  ): Promise<Result<HoldView>>
  /** A part of the tenant's holds, newest first. Refuses with `invalid_request`. */
  listHolds<Query extends ListQuery>(
    actor: Actor,
    filter: { readonly active?: boolean },
    query: Query,
  ): Promise<Result<PartOf<Query, HoldView>>>
  /** Releases a hold; idempotent. Refuses with `not_found`, `invalid_request`. */
  releaseHold(
    actor: Actor,
    holdId: string,
    input: { readonly reason: string },
  ): Promise<Result<HoldView>>
}
