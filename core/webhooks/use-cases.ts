import type { Actor } from '../access/actor.ts'
import type { KeyUseCases } from '../keys/use-cases.ts'
import type { CursorQuery, Listing, ListQuery, Pieces } from '../ledger/listing.ts'
import type { PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type {
  CreateWebhook,
  DeliveryLogEntry,
  RecoverResult,
  ReviewEventEntry,
  ReviewEventHistory,
  UpdateWebhook,
  WebhookView,
} from './view.ts'

/** Webhooks, their deliveries and the recovery read. */
export interface WebhookUseCases extends KeyUseCases {
  list(actor: Actor): Promise<Result<readonly WebhookView[]>>
  read(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  create(actor: Actor, input: CreateWebhook): Promise<Result<WebhookView>>
  update(actor: Actor, webhookId: string, input: UpdateWebhook): Promise<Result<WebhookView>>
  remove(actor: Actor, webhookId: string): Promise<Result<null>>
  /** Waits for the one attempt and tells its log entry. */
  test(actor: Actor, webhookId: string): Promise<Result<DeliveryLogEntry>>
  requestVerification(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  rotateSecret(
    actor: Actor,
    webhookId: string,
    input: { readonly secret?: string; readonly force?: boolean },
  ): Promise<Result<WebhookView>>
  turnOn(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  turnOff(actor: Actor, webhookId: string): Promise<Result<WebhookView>>
  replay(actor: Actor, webhookId: string, eventId: string): Promise<Result<RecoverResult>>
  recover(
    actor: Actor,
    webhookId: string,
    input: { readonly from: number; readonly until: number; readonly types?: readonly string[] },
  ): Promise<Result<RecoverResult>>
  /** Attempts of the last seven days, newest first. */
  deliveryLogs(
    actor: Actor,
    webhookId: string,
    query: ListQuery,
  ): Promise<Result<Listing<DeliveryLogEntry>>>
  /** Every attempt of the last seven days, newest first, read as it is asked for: a log may be larger than the memory. */
  wholeDeliveryLog(actor: Actor, webhookId: string): Promise<Result<Pieces<DeliveryLogEntry>>>
  /** What a webhook selected and was owed, newest first, as a page. */
  reviewEvents(
    actor: Actor,
    input: { readonly subscriptionId: string } & PageQuery,
  ): Promise<Result<ReviewEventHistory>>
  /** The same list behind a cursor. */
  reviewEventsAfter(
    actor: Actor,
    input: { readonly subscriptionId: string } & CursorQuery,
  ): Promise<Result<Listing<ReviewEventEntry>>>
}
