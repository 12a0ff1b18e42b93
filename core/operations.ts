/** The operations of the service as values: what each takes, gives and refuses, for adapters that offer them. */

export * from './applications/application-keys.ts'
export * from './applications/callback-operations.ts'
export * from './applications/customer-keys.ts'
export * from './applications/operations.ts'
export {
  listSigningKeys,
  readEvidenceKeySet,
  rotateSigningKey,
} from './evidence/keys/signing-keys.ts'
export { listPackages, readPackage } from './evidence/packages/operations.ts'
export { readWebhookKeys } from './keys/key-set.ts'
export * from './keys/requests/operations.ts'
export * from './keys/requests/staff.ts'
export { resumeTenant, suspendTenant } from './organizations/access/suspension.ts'
export { listAuditLog } from './organizations/audit-log.ts'
export { readEntitlements } from './organizations/entitlements.ts'
export {
  deactivateMember,
  reactivateMember,
  setRole,
} from './organizations/members/change-member.ts'
export { invite, resendInvitation, withdrawInvitation } from './organizations/members/invite.ts'
export { listInvitations, listMembers } from './organizations/members/list-members.ts'
export { readProfile, updateProfile } from './organizations/profile.ts'
export { setPlan } from './organizations/set-plan.ts'
export * from './policies/alerts/operations.ts'
export * from './policies/ingest-rules.ts'
export * from './policies/policy-rules.ts'
export * from './policies/redaction-policies.ts'
export * from './policies/scores/read-scores.ts'
export * from './policies/sessions/annotations.ts'
export * from './policies/sessions/flags.ts'
export * from './policies/sessions/reviews.ts'
export * from './removal/erasure/holds.ts'
export * from './removal/erasure/requests.ts'
export * from './removal/lifecycle/application-operations.ts'
export * from './removal/lifecycle/poison.ts'
export { cancelTenantDeletion, requestTenantDeletion } from './removal/lifecycle/tenant-deletion.ts'
export { listSessions } from './sessions/list-sessions.ts'
export { listAnchors, readBatch, readUsage } from './sessions/operations.ts'
export { exportShape } from './sessions/otlp/partial-success.ts'
export { listSteps, proveSession, readSession, readStep } from './sessions/read-sessions.ts'
export { submissionShape } from './sessions/submission/submitted.ts'
export * from './webhooks/channels/operations.ts'
export * from './webhooks/log-entry.ts'
export * from './webhooks/operations.ts'
export * from './webhooks/replay-deliveries.ts'
export * from './webhooks/review-events.ts'
export * from './webhooks/send-test.ts'
