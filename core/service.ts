import type { Actor } from './access/actor.ts'
import type { AccessUseCases } from './access/use-cases.ts'
import type { ApplicationUseCases } from './applications/use-cases.ts'
import type { Page, PageQuery } from './ledger/page.ts'
import type { Result } from './ledger/refusal.ts'
import type {
  CancellationReason,
  CaseFilter,
  CaseView,
  ContinuationOutcome,
  DecideCase,
  OpenCase,
  Seen,
} from './review/view.ts'
import type {
  CreateWebhook,
  DeliveryLogEntry,
  RecoverResult,
  ReviewEventHistory,
  UpdateWebhook,
  WebhookView,
} from './webhooks/view.ts'

export type { AccessUseCases, ApplicationUseCases, Page, PageQuery }

/** Every command answers with the case as it is after it. */
export interface ReviewCaseUseCases {
  open(actor: Actor, input: OpenCase): Promise<Result<CaseView>>
  read(actor: Actor, reviewCaseId: string): Promise<Result<CaseView>>
  list(actor: Actor, filter: CaseFilter, page: PageQuery): Promise<Result<Page<CaseView>>>
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

export interface WebhookUseCases {
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
  deliveryLogs(
    actor: Actor,
    webhookId: string,
    page: PageQuery | null,
  ): Promise<Result<Page<DeliveryLogEntry>>>
  reviewEvents(
    actor: Actor,
    input: { readonly subscriptionId: string } & PageQuery,
  ): Promise<Result<ReviewEventHistory>>
  /** The tenant's public keys as a JWK set (RFC 7517), for anyone. */
  keySet(
    tenantId: string,
  ): Promise<Result<{ readonly keys: readonly Readonly<Record<string, string>>[] }>>
}

/** The whole service, for whoever embeds it; authorization lives behind these calls, not before them. */
export interface Service {
  readonly access: AccessUseCases
  readonly applications: ApplicationUseCases
  readonly reviewCases: ReviewCaseUseCases
  readonly webhooks: WebhookUseCases
  /** Starts the dispatcher and the runner of due work. */
  start(): void
  /** Takes nothing new, lets what is in flight end (at most `withinMs`), and gives back what is leased. */
  drain(withinMs: number): Promise<void>
}
