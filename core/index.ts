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
export { CountersignError } from './base/errors/countersign-error.ts'
export type { Decision, ReasonCategory, ReviewTier } from './base/events/review.ts'
export { type BrokenAnchor, findBrokenAnchors } from './broken-anchors.ts'
export { stepTypes } from './content/span.ts'
export type { TenantKeyRotation, TenantKeyState } from './content/vault/operations.ts'
export type {
  AnchorView,
  BatchView,
  PayloadView,
  ProofView,
  ScoreView,
  SessionFilter,
  SessionView,
  StepView,
  UsageView,
} from './content/view.ts'
export { createService, type ServiceOptions, type ServicePorts } from './create-service.ts'
export type { ExportedFile, StreamedFile } from './evidence/exports.ts'
export type { SigningKeyView } from './evidence/keys/signing-keys.ts'
export type { PackageView } from './evidence/packages/records.ts'
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
} from './kernel/callers/actor.ts'
export {
  type FieldError,
  type Refusal,
  type RefusalCode,
  RefusedError,
  type Result,
  unwrap,
} from './kernel/ledger/refusal.ts'
export type { MasterKey, MasterKeyCheck, Resealed } from './kernel/sealing/master-key.ts'
export {
  type ExecutionFailure,
  type KeyRequestAction,
  type KeyRequestStatus,
  type KeyRequestView,
  keyRequestActions,
  keyRequestStatuses,
  type StaffKeyRequestView,
} from './keys/requests/records.ts'
export { findLostBlobs, type LostBlob } from './lost-blobs.ts'
export type {
  LoginView,
  MemberSessionView,
  MemberView,
  TenantStatusView,
  TenantView,
} from './organizations/access/present.ts'
export type {
  ApplicationKeyView,
  CustomerKeyView,
  NewApplicationKeyView,
  NewCustomerKeyView,
  StaffCustomerKeyView,
} from './organizations/api-keys/key-records.ts'
export type { AuditEntryView, AuditPart, AuditQuery } from './organizations/audit-log.ts'
export type { EntitlementsView } from './organizations/entitlements.ts'
export type { NewMember } from './organizations/members/new-member.ts'
export type { InvitationView, MemberRecordView } from './organizations/members/present.ts'
export type { PasswordResetView } from './organizations/passwords/issue-reset.ts'
export type { ProfileInput, ProfileView } from './organizations/profile.ts'
export { type Comparator, comparators } from './policies/alerts/machine.ts'
export { type MetricName, metricNames } from './policies/alerts/metrics.ts'
export type { AlertRuleInput, AlertRuleView } from './policies/alerts/records.ts'
export {
  type FlagKind,
  type FlagSource,
  type FlagView,
  flagKinds,
} from './policies/flags/records.ts'
export type {
  IngestRulesInput,
  IngestRulesView,
  PolicyRulesView,
  RedactionPoliciesView,
} from './policies/records.ts'
export {
  type Detectable,
  detectables,
  type RedactedField,
  type RedactionAction,
  type RedactionPolicy,
  type RedactionPolicyInput,
  redactedFields,
  redactionActions,
} from './policies/redaction/policy.ts'
export type {
  Condition,
  Effect,
  Match,
  Operator,
  PolicyRule,
  PolicyRuleInput,
  Severity,
} from './policies/rules/shapes.ts'
export { effects, operators, severities } from './policies/rules/shapes.ts'
export type { ScoresView } from './policies/scores/records.ts'
export type { AnnotationView, SessionReviewView } from './policies/sessions/records.ts'
export {
  type ErasureCounts,
  type ErasureReason,
  type ErasureStatus,
  type ErasureView,
  erasureReasons,
  type HoldView,
} from './removal/erasure/records.ts'
export type { PoisonView } from './removal/lifecycle/poison.ts'
export type {
  TenantDeletionInput,
  TenantDeletionView,
} from './removal/lifecycle/tenant-deletion.ts'
export { type Restored, recordRestore } from './restore.ts'
export type { ReviewerGuidelines } from './review/guidelines.ts'
export type { CaseFilter, DecideCase, OpenCase, SeenVersion } from './review/inputs.ts'
export type { QueuedCase, ReviewStatistics, SummaryView } from './review/queue/operations.ts'
export type {
  CallbackAttemptView,
  CaseCallbackView,
  CaseRow,
  CaseState,
  CaseView,
  Presentation,
} from './review/shapes.ts'
export { collections, logs } from './rooms.ts'
export type {
  AccessUseCases,
  CursorQuery,
  EvidenceExports,
  IngestStreams,
  Listing,
  ListQuery,
  PackageExports,
  Page,
  PageQuery,
  PartOf,
  Pieces,
  Rows,
  ScannedListing,
  Service,
  TenantKeyWork,
  WebhookUseCases,
} from './service.ts'
export type {
  Submission,
  SubmittedSession,
  SubmittedStep,
} from './sessions/submission/submitted.ts'
export {
  type ChannelInput,
  type ChannelKind,
  type ChannelView,
  channelKinds,
} from './webhooks/channels/records.ts'
export type { MissedWindows } from './webhooks/inspection/missed-windows.ts'
export type { InspectedDelivery } from './webhooks/inspection/read-delivery.ts'
export type { InspectedEvent } from './webhooks/inspection/read-event.ts'
export type { DeliveryView } from './webhooks/inspection/shown-delivery.ts'
export type { WebhookStatistics } from './webhooks/inspection/statistics.ts'
export type { DeliveryLogEntry } from './webhooks/log-entry.ts'
export type { CreateWebhook, WebhookView } from './webhooks/records.ts'
export type { RecoverResult, ReplayResult } from './webhooks/replay-deliveries.ts'
export type { ReviewEventEntry } from './webhooks/review-events.ts'
