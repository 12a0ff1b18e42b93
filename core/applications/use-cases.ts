import type { Actor, ApplicationActor, CustomerKeyActor } from '../access/actor.ts'
import type { Page, PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type {
  ApplicationInput,
  ApplicationStage,
  ApplicationView,
  OutcomeCallbackView,
  TombstoneView,
} from './view.ts'

/** Applications and where their outcomes go. Each may refuse as `Service` says besides. */
export interface ApplicationUseCases {
  /**
   * Refuses with `application_gone` from the start of the application's deletion; for hosts that must say so before
   * they read a body.
   */
  checkActive(actor: ApplicationActor | CustomerKeyActor): Promise<Result<null>>
  /** A page of the tenant's applications, of one stage where it is named. Refuses with `invalid_request`. */
  list(
    actor: Actor,
    query: PageQuery & { readonly stage?: ApplicationStage },
  ): Promise<Result<Page<ApplicationView>>>
  /**
   * Creates an application. Refuses with `invalid_request`, `application_limit`, and `invalid_transition` while the
   * organization is deleted.
   */
  create(
    actor: Actor,
    input: ApplicationInput & { readonly name: string },
  ): Promise<Result<ApplicationView>>
  /** One application, or what stays of it. Refuses with `not_found`. */
  read(actor: Actor, applicationId: string): Promise<Result<ApplicationView | TombstoneView>>
  /**
   * Changes name, description and settings; absent members keep. Refuses with `not_found`, `application_gone`,
   * `invalid_request`, and with `version_conflict` where `version` is given and not the current one.
   */
  update(
    actor: Actor,
    applicationId: string,
    input: Omit<ApplicationInput, 'stage'> & { readonly version?: number },
  ): Promise<Result<ApplicationView>>
  /**
   * Raises the stage and tells it by `application.promoted`; the same stage changes nothing. Refuses with `not_found`,
   * `application_gone`, and with `invalid_transition` for an earlier stage.
   */
  promote(
    actor: Actor,
    applicationId: string,
    input: { readonly to: ApplicationStage },
  ): Promise<Result<ApplicationView>>
  /**
   * Asks for the application's deletion, which begins when the grace period ends; asked again, it stays as it was.
   * Refuses with `not_found`, `blocked_by_hold`, `purge_started`.
   */
  requestDeletion(actor: Actor, applicationId: string): Promise<Result<ApplicationView>>
  /**
   * Takes the deletion back, as long as the purge has not begun. Refuses with `not_found`, `not_pending`,
   * `purge_started`, and with `invalid_transition` where the whole organization is deleted.
   */
  cancelDeletion(actor: Actor, applicationId: string): Promise<Result<ApplicationView>>
  /**
   * Sets where the application's outcomes go; a saved URL is tried again after a 410. Refuses with `not_found`,
   * `application_gone`, `invalid_request`, `invalid_url`, `refused_address`.
   */
  setOutcomeCallback(
    actor: Actor,
    applicationId: string,
    input: {
      readonly url: string
      readonly enabled: boolean
      readonly signing?: { readonly method: 'ed25519' | 'shared_secret' }
    },
  ): Promise<Result<OutcomeCallbackView>>
  /**
   * Removes the outcome callback with its secret. What it still owes is given up, as after a 410: its cases show it, and
   * can be replayed once there is another one. Answers the application. Refuses with `not_found`, `application_gone`,
   * `callback_not_configured`.
   */
  removeOutcomeCallback(actor: Actor, applicationId: string): Promise<Result<ApplicationView>>
  /**
   * Replaces the shared secret of the outcome callback, and shows it once; the previous one signs beside it for 24 h.
   * `force` drops an earlier one that still signs. Refuses with `not_found`, `application_gone`,
   * `callback_not_configured`, `not_shared_secret`, `already_rotating`.
   */
  rotateCallbackSecret(
    actor: Actor,
    applicationId: string,
    input: { readonly force?: boolean },
  ): Promise<Result<OutcomeCallbackView>>
}
