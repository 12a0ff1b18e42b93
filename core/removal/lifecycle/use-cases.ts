import type { Actor } from '../../kernel/callers/actor.ts'
import type { ListQuery } from '../../kernel/ledger/listing.ts'
import type { PartOf } from '../../kernel/ledger/read-part.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import type { PoisonView, TenantDeletionView } from './view.ts'

/** Purges and deletions of organizations, for staff. Each may refuse as `Service` says besides. */
export interface DeletionUseCases {
  /** Purges that failed for the last time, the first begun first. Refuses with `invalid_request`. */
  listPoisoned<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, PoisonView>>>
  /**
   * Tries a poisoned or resolved purge again at once, from where it stands. Refuses with `not_found`,
   * `invalid_request`.
   */
  requeue(
    actor: Actor,
    messageId: string,
    input: { readonly note: string },
  ): Promise<Result<PoisonView>>
  /**
   * Marks the cause as settled; the next sweep takes the purge up. Refuses with `not_found`, `invalid_request`, and with
   * `invalid_transition` for a purge that is at work.
   */
  resolve(
    actor: Actor,
    messageId: string,
    input: { readonly note: string },
  ): Promise<Result<PoisonView>>
  /**
   * Starts the grace period of an organization with all its applications; asked again, it stays as it was. Refuses with
   * `not_found`, `invalid_request` and `blocked_by_hold`.
   */
  requestTenantDeletion(
    actor: Actor,
    tenantId: string,
    input: TenantDeletionInput,
  ): Promise<Result<TenantDeletionView>>
  /**
   * Takes it back as long as neither a purge nor the removal of the organization's own rows has begun. Refuses with
   * `not_found`, `not_pending`, `purge_started`.
   */
  cancelTenantDeletion(actor: Actor, tenantId: string): Promise<Result<TenantDeletionView>>
}

/** What staff must have seen before it deletes an organization; times in ms. */
export interface TenantDeletionInput {
  readonly ticket: string
  readonly identity: {
    readonly method: string
    /** Another member of staff than the one who asks. */
    readonly verifiedBy: string
    readonly verifiedAt: number
  }
  readonly authorizationForm: {
    /** Hex. */
    readonly sha256: string
    readonly signedBy: string
    readonly signedAt: number
  }
}
