import type { Actor } from '../access/actor.ts'
import type { KeyUseCases } from '../keys/use-cases.ts'
import type { CursorQuery, Listing, ListQuery, Pieces } from '../ledger/listing.ts'
import type { PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type {
  CreateWebhook,
  DeliveryLogEntry,
  RecoverBy,
  RecoverResult,
  ReplayResult,
  ReviewEventEntry,
  ReviewEventHistory,
  UpdateWebhook,
  WebhookView,
} from './view.ts'

/** Webhooks, their deliveries and the recovery read. Each may refuse as `Service` says besides. */
export interface WebhookUseCases extends KeyUseCases {
  /** The tenant's webhooks. */
  list(actor: Actor): Promise<Result<readonly WebhookView[]>>
  /** One webhook. Refuses with `not_found`. */
  read(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  /**
   * Creates a webhook, which receives at once, and owes it a verification. The answer alone shows the shared secret.
   * Refuses with `invalid_request`, `invalid_url`, `refused_address`, `webhook_limit`.
   */
  create(actor: Actor, input: CreateWebhook): Promise<Result<WebhookView>>
  /**
   * Changes what is given; absent members stay. A new URL or method owes a verification, a new secret starts a
   * rotation. Refuses with `not_found`, `invalid_request`, `invalid_url`, `refused_address`, `endpoint_gone`,
   * `already_rotating`, and `invalid_transition` where the webhook's method or secret excludes the change.
   */
  update(actor: Actor, webhookId: string, input: UpdateWebhook): Promise<Result<WebhookView>>
  /** Removes a webhook; what it was still owed is not sent. Refuses with `not_found`. */
  remove(actor: Actor, webhookId: string): Promise<Result<null>>
  /**
   * Sends a sample event once the webhook's tests before it have ended, and waits up to 20 s for its log entry. Refuses
   * with `not_found`, `endpoint_gone`, `busy` where 50 tests wait, and `unavailable` when it was not sent in time
   * (`facts.written` is null: it may still go out).
   */
  test(actor: Actor, webhookId: string): Promise<Result<DeliveryLogEntry>>
  /** Owes the webhook another verification. Refuses with `not_found`, `endpoint_gone`. */
  requestVerification(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  /**
   * Replaces the shared secret; the previous one signs beside it for 24 h. `force` drops an earlier one that still
   * signs. Refuses with `not_found`, `invalid_request`, `not_shared_secret`, `already_rotating`,
   * and `invalid_transition` for the current secret or one that the webhook's method can't sign with.
   */
  rotateSecret(
    actor: Actor,
    webhookId: string,
    input: { readonly secret?: string; readonly force?: boolean },
  ): Promise<Result<WebhookView>>
  /**
   * Turns the webhook on and owes a verification; a webhook that is on stays as it is. Refuses with `not_found`,
   * `endpoint_gone`.
   */
  turnOn(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  /**
   * Turns the webhook off, which opens a missed window; a webhook that is off stays as it is. Refuses with
   * `not_found`.
   */
  turnOff(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  /**
   * Opens another round of one event's delivery, unless it is under way. Refuses with `not_found`, `endpoint_gone`,
   * `invalid_transition` for a webhook that is off.
   */
  replay(actor: Actor, webhookId: string, eventId: string): Promise<Result<ReplayResult>>
  /**
   * Replays what was dead-lettered, of events from `from` to before `until`, both ms since the epoch, or by `given_up`
   * what was dead-lettered in that span, in bounded commits; when one of them is refused, `facts` has `selected` and the
   * `results` so far. Refuses with `not_found`, `invalid_request`,
   * `endpoint_gone`, `invalid_transition` for a webhook that is off.
   */
  recover(
    actor: Actor,
    webhookId: string,
    input: {
      readonly from: number
      readonly until: number
      readonly types?: readonly string[]
      /** `event` unless given. */
      readonly by?: RecoverBy
    },
  ): Promise<Result<RecoverResult>>
  /** Attempts of the last seven days, newest first. Refuses with `not_found`, `invalid_request`. */
  deliveryLogs(
    actor: Actor,
    webhookId: string,
    query: ListQuery,
  ): Promise<Result<Listing<DeliveryLogEntry>>>
  /**
   * Every attempt of the last seven days, newest first, read as it is asked for: a log may be larger than the memory.
   * Refuses with `not_found`.
   */
  wholeDeliveryLog(actor: Actor, webhookId: string): Promise<Result<Pieces<DeliveryLogEntry>>>
  /** A page of what a webhook selected and was owed, newest first. Refuses with `not_found`, `invalid_request`. */
  reviewEvents(
    actor: Actor,
    input: { readonly subscriptionId: string } & PageQuery,
  ): Promise<Result<ReviewEventHistory>>
  /** The same list behind a cursor. Refuses with `not_found`, `invalid_request`. */
  reviewEventsAfter(
    actor: Actor,
    input: { readonly subscriptionId: string } & CursorQuery,
  ): Promise<Result<Listing<ReviewEventEntry>>>
}
