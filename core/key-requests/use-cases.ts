import type { Actor } from '../access/actor.ts'
import type { NewCustomerKeyView } from '../access/view.ts'
import type { ListQuery } from '../ledger/listing.ts'
import type { PartOf } from '../ledger/read-part.ts'
import type { Result } from '../ledger/refusal.ts'
import type { KeyRequestStatus } from './records.ts'
import type { KeyRequestInput, KeyRequestView, StaffKeyRequestView } from './view.ts'

/** What staff says of a step; the organization reads it. */
export interface StaffStep {
  readonly reason?: string | null
}

/** What an organization's admins ask of staff about keys. Each may refuse as `Service` says besides. */
export interface KeyRequestUseCases {
  /**
   * Asks for one of `keyRequestActions`. Refuses with `not_found` for another action, application or key,
   * `invalid_request`, `application_gone`, `invalid_transition` for a key that is revoked, and `request_pending` while
   * the same is asked for already.
   */
  submit(actor: Actor, action: string, input: KeyRequestInput): Promise<Result<KeyRequestView>>
  /** A part of the tenant's requests, newest first. Refuses with `invalid_request`. */
  list<Query extends ListQuery>(
    actor: Actor,
    query: Query,
  ): Promise<Result<PartOf<Query, KeyRequestView>>>
  /** One request. Refuses with `not_found`. */
  read(actor: Actor, requestId: string): Promise<Result<KeyRequestView>>
  /** Withdraws a request that nobody has approved. Refuses with `not_found`, `invalid_transition`. */
  cancel(actor: Actor, requestId: string): Promise<Result<KeyRequestView>>
  /**
   * Issues the key of an executed request and shows its value to the requester, once and within 24 hours; before that
   * there is no key. Refuses with `not_found`, `forbidden` for another member, `invalid_transition`, `reveal_expired`,
   * `application_gone`, `too_many_keys`.
   */
  reveal(actor: Actor, requestId: string): Promise<Result<NewCustomerKeyView>>
  /** A part of all tenants' requests, newest first, for staff. Refuses with `invalid_request`. */
  listForStaff<Query extends ListQuery>(
    actor: Actor,
    filter: { readonly status?: KeyRequestStatus },
    query: Query,
  ): Promise<Result<PartOf<Query, StaffKeyRequestView>>>
  /** Lets a request be executed, by staff. Refuses with `not_found`, `invalid_request`, `invalid_transition`. */
  approve(actor: Actor, requestId: string, step: StaffStep): Promise<Result<StaffKeyRequestView>>
  /** Rejects a request before its execution, by staff. Refuses as `approve`. */
  reject(actor: Actor, requestId: string, step: StaffStep): Promise<Result<StaffKeyRequestView>>
  /**
   * Executes an approved request, or a failed one again, by staff. What can't be done leaves the request `failed`, with
   * the reason in its `result`; the rotation of the tenant's encryption key leaves it `executing` until it is over.
   * Refuses as `approve`, and with `request_pending` where the same is asked for again since it failed.
   */
  execute(actor: Actor, requestId: string, step: StaffStep): Promise<Result<StaffKeyRequestView>>
}
