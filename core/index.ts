export type {
  ApplicationKeyView,
  CustomerKeyView,
  NewApplicationKeyView,
  NewCustomerKeyView,
  StaffCustomerKeyView,
} from './access/key-records.ts'
export type { InvitationView, MemberRecordView } from './access/membership/present.ts'
export type { TenantStatusView, TenantView } from './access/present.ts'
export type {
  LoginView,
  MemberSessionView,
  MemberView,
  NewMember,
} from './access/view.ts'
export {
  type ApplicationInput,
  type ApplicationSettingsView,
  type ApplicationStage,
  type ApplicationView,
  applicationStages,
  type DeletionView,
  type HealthStatus,
  type HealthView,
  healthStatuses,
  type LifecycleState,
  type OutcomeCallbackView,
  type TombstoneView,
} from './applications/view.ts'
export { type BrokenAnchor, findBrokenAnchors } from './broken-anchors.ts'
export type {
  Actor,
  ApplicationActor,
  CustomerKeyActor,
  CustomerKeyType,
  MemberActor,
  Permission,
  Role,
  StaffActor,
  SystemActor,
} from './callers/actor.ts'
export {
  type ChannelInput,
  type ChannelKind,
  type ChannelView,
  channelKinds,
} from './channels/records.ts'
export { collections, logs } from './collections.ts'
export { createService, type ServiceOptions, type ServicePorts } from './create-service.ts'
export {
  type ErasureCounts,
  type ErasureReason,
  type ErasureStatus,
  type ErasureView,
  erasureReasons,
  type HoldView,
} from './erasure/records.ts'
export { CountersignError } from './errors/countersign-error.ts'
export type { Decision, ReasonCategory, ReviewTier } from './events/review.ts'
export { type SigningKeyView, type SigningUse, signingUses } from './evidence/keys/signing-keys.ts'
export type { ExportedFile, PackageView, StreamedFile } from './evidence/use-cases.ts'
export type { Submission, SubmittedSession, SubmittedStep } from './ingest/submission/submitted.ts'
export {
  type ExecutionFailure,
  type KeyRequestAction,
  type KeyRequestStatus,
  type KeyRequestView,
  keyRequestActions,
  keyRequestStatuses,
  type StaffKeyRequestView,
} from './key-requests/records.ts'
export type { KeyRotationView } from './keys/use-cases.ts'
export {
  type FieldError,
  type Refusal,
  type RefusalCode,
  RefusedError,
  type Result,
  unwrap,
} from './ledger/refusal.ts'
export type { TenantDeletionInput } from './lifecycle/use-cases.ts'
export type { PoisonView, TenantDeletionView } from './lifecycle/view.ts'
export { findLostBlobs, type LostBlob } from './lost-blobs.ts'
export type { AuditEntryView, AuditPart, AuditQuery } from './organization/audit-log.ts'
export type { EntitlementsView } from './organization/entitlements.ts'
export type { ProfileInput, ProfileView } from './organization/profile.ts'
export { type Restored, recordRestore } from './restore.ts'
export type {
  CallbackAttemptView,
  CaseCallbackView,
  CaseFilter,
  CaseRow,
  CaseState,
  CaseView,
  DecideCase,
  OpenCase,
  Presentation,
  SeenVersion,
} from './review/view.ts'
export type { MasterKey, MasterKeyCheck, Resealed } from './sealing/master-key.ts'
export type {
  AccessUseCases,
  CursorQuery,
  DeletionUseCases,
  EvidenceUseCases,
  IngestUseCases,
  Listing,
  ListQuery,
  Page,
  PageQuery,
  PartOf,
  Pieces,
  ReviewCaseUseCases,
  Rows,
  ScannedListing,
  Service,
  SigningKeyUseCases,
  TenantKeyRotation,
  TenantKeyState,
  TenantKeyUseCases,
  WebhookUseCases,
} from './service.ts'
export { stepTypes } from './sessions/span.ts'
export type {
  AnchorView,
  BatchView,
  PayloadView,
  ProofView,
  ScoreView,
  SessionFilter,
  SessionOf,
  SessionView,
  StepView,
  UsageView,
} from './sessions/view.ts'
export { type Comparator, comparators } from './signals/alerts/machine.ts'
export { type MetricName, metricNames } from './signals/alerts/metrics.ts'
export type { AlertRuleInput, AlertRuleView } from './signals/alerts/records.ts'
export {
  type FlagKind,
  type FlagSource,
  type FlagView,
  flagKinds,
} from './signals/flags/records.ts'
export type {
  Condition,
  Effect,
  Match,
  Operator,
  PolicyRule,
  PolicyRuleInput,
  Severity,
} from './signals/policy/shapes.ts'
export { effects, operators, severities } from './signals/policy/shapes.ts'
export type {
  IngestRulesInput,
  IngestRulesView,
  PolicyRulesView,
  RedactionPoliciesView,
} from './signals/records.ts'
export {
  type Detectable,
  detectables,
  type RedactedField,
  type RedactionAction,
  type RedactionPolicy,
  type RedactionPolicyInput,
  redactedFields,
  redactionActions,
} from './signals/redaction/policy.ts'
export type { ScoresView } from './signals/scores/records.ts'
export type { AnnotationView, SessionReviewView } from './signals/sessions/records.ts'
export type { DeliveryLogEntry } from './webhooks/log-entry.ts'
export type { CreateWebhook, WebhookView } from './webhooks/records.ts'
export type { RecoverResult, ReplayResult } from './webhooks/replay-deliveries.ts'
export type { ReviewEventEntry } from './webhooks/review-events.ts'
