export type {
  Actor,
  ApplicationActor,
  MemberActor,
  Permission,
  Role,
} from './access/actor.ts'
export type {
  ApplicationKeyView,
  LoginView,
  MemberView,
  NewApplicationKeyView,
  NewMember,
  SessionView,
  TenantView,
} from './access/view.ts'
export type { ApplicationView, LifecycleState, OutcomeCallbackView } from './applications/view.ts'
export { collections, logs } from './collections.ts'
export { createService, type ServiceOptions, type ServicePorts } from './create-service.ts'
export { CountersignError } from './errors/countersign-error.ts'
export type { Decision, ReasonCategory, ReviewTier } from './events/review.ts'
export type { KeyRotationView } from './keys/use-cases.ts'
export {
  type FieldError,
  type Refusal,
  type RefusalCode,
  RefusedError,
  type Result,
  unwrap,
} from './ledger/refusal.ts'
export { type Restored, recordRestore } from './restore.ts'
export type {
  CaseFilter,
  CaseRow,
  CaseState,
  CaseView,
  DecideCase,
  OpenCase,
  Presentation,
  Seen,
} from './review/view.ts'
export type { MasterKey, MasterKeyCheck, Resealed } from './sealing/master-key.ts'
export type {
  AccessUseCases,
  ApplicationUseCases,
  CursorQuery,
  Listing,
  ListQuery,
  Page,
  PageQuery,
  Pieces,
  ReviewCaseUseCases,
  Service,
  WebhookUseCases,
} from './service.ts'
export type {
  CreateWebhook,
  DeliveryLogEntry,
  RecoverResult,
  ReviewEventEntry,
  ReviewEventHistory,
  UpdateWebhook,
  WebhookView,
} from './webhooks/view.ts'
