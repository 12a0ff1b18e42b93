import type { Actor, ApplicationActor, MemberActor } from './access/actor.ts'
import type { ApplicationKeyView, LoginView, SessionView } from './access/view.ts'
import type { ApplicationView, OutcomeCallbackView } from './applications/view.ts'
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

/** Pages count from 1. */
export interface PageQuery {
  readonly page: number
  readonly pageSize: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

export interface AccessUseCases {
  login(input: {
    readonly email: string
    readonly password: string
    /** Of the caller, for the throttle. */
    readonly address: string
  }): Promise<Result<LoginView>>
  /** The member behind a session token, as the store has them now. */
  authenticateMember(token: string): Promise<Result<MemberActor>>
  /** The application behind the value of an application key. */
  authenticateApplication(key: string): Promise<Result<ApplicationActor>>
  session(actor: MemberActor): Promise<Result<SessionView>>
  /** Ends every session of the member. */
  logout(actor: MemberActor): Promise<Result<null>>
  listApplicationKeys(
    actor: Actor,
    applicationId: string,
  ): Promise<Result<readonly ApplicationKeyView[]>>
  createApplicationKey(
    actor: Actor,
    applicationId: string,
    input: { readonly label: string },
  ): Promise<Result<ApplicationKeyView>>
  revokeApplicationKey(
    actor: Actor,
    applicationId: string,
    keyId: string,
  ): Promise<Result<ApplicationKeyView>>
}

export interface ApplicationUseCases {
  list(actor: Actor, page: PageQuery): Promise<Result<Page<ApplicationView>>>
  create(actor: Actor, input: { readonly name: string }): Promise<Result<ApplicationView>>
  read(actor: Actor, applicationId: string): Promise<Result<ApplicationView>>
  setOutcomeCallback(
    actor: Actor,
    applicationId: string,
    input: {
      readonly url: string
      readonly enabled: boolean
      readonly signing?: { readonly method: 'ed25519' | 'shared_secret' }
    },
  ): Promise<Result<OutcomeCallbackView>>
}

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
