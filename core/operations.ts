/** The operations of the service as values: what each takes, gives and refuses, for adapters that offer them. */

export * from './applications/application-keys.ts'
export * from './applications/callback-operations.ts'
export * from './applications/customer-keys.ts'
export * from './applications/operations.ts'
export { readSignedDecisions, setSignedDecisions } from './applications/signed-decisions.ts'
export { ofOneSession } from './content/view.ts'
export { csvForm, exportedApplications, exportedSubject } from './evidence/exports.ts'
export {
  listSigningKeys,
  readEvidenceKeySet,
  rotateSigningKey,
} from './evidence/keys/signing-keys.ts'
export { certificateShape, evidenceShape } from './evidence/model.ts'
export { listPackages, readPackage } from './evidence/packages/operations.ts'
export { readWebhookKeys } from './keys/key-set.ts'
export * from './keys/requests/operations.ts'
export * from './keys/requests/staff.ts'
export { createMember, createTenant } from './organizations/access/commands.ts'
export { resumeTenant, suspendTenant } from './organizations/access/suspension.ts'
export { listAuditLog } from './organizations/audit-log.ts'
export * from './organizations/authenticators/members-authenticators.ts'
export * from './organizations/authenticators/operations.ts'
export { listReviewerKeys } from './organizations/authenticators/reviewer-keys.ts'
export {
  readSigningModels,
  setSigningModels,
} from './organizations/authenticators/set-signing-models.ts'
export { readEntitlements } from './organizations/entitlements.ts'
export { login } from './organizations/logins/login.ts'
export { begunSignIn, signInByPasskey, startPasskeySignIn } from './organizations/logins/passkey.ts'
export { logout, readMemberSession } from './organizations/logins/sessions.ts'
export { readSignInRule, setSignInRule } from './organizations/logins/set-sign-in-rule.ts'
export { acceptInvitation } from './organizations/members/accept-invitation.ts'
export {
  deactivateMember,
  reactivateMember,
  setRole,
} from './organizations/members/change-member.ts'
export { invite, resendInvitation, withdrawInvitation } from './organizations/members/invite.ts'
export { listInvitations, listMembers } from './organizations/members/list-members.ts'
export { readInvitation } from './organizations/members/read-invitation.ts'
export { acceptPasswordReset } from './organizations/passwords/accept-reset.ts'
export { changePassword } from './organizations/passwords/change-password.ts'
export { issuePasswordReset } from './organizations/passwords/issue-reset.ts'
export { requestPasswordReset } from './organizations/passwords/request-reset.ts'
export { readProfile, updateProfile } from './organizations/profile.ts'
export * from './organizations/providers/operations.ts'
export {
  begunAtProvider,
  signInByProvider,
  startProvider,
} from './organizations/providers/sign-in.ts'
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
export { findCase } from './review/find-case.ts'
export { readGuidelines, setGuidelines } from './review/guidelines.ts'
export { listCallbackAttempts, listCases } from './review/lists.ts'
export { openCase } from './review/open-case.ts'
export * from './review/operations.ts'
export {
  listQueue,
  readNotices,
  readStatistics,
  readSummary,
  setNotices,
} from './review/queue/operations.ts'
export { caseShape } from './review/shapes.ts'
export { decideCase, stateDecision } from './review/signing/decide-case.ts'
export { listSessions } from './sessions/list-sessions.ts'
export { listAnchors, readBatch, readUsage } from './sessions/operations.ts'
export { exportShape } from './sessions/otlp/partial-success.ts'
export { listSteps, proveSession, readSession, readStep } from './sessions/read-sessions.ts'
export { proveCase } from './sessions/seal/prove-case.ts'
export { submissionShape } from './sessions/submission/submitted.ts'
export * from './webhooks/channels/operations.ts'
export * from './webhooks/inspection/list-deliveries.ts'
export * from './webhooks/inspection/missed-windows.ts'
export * from './webhooks/inspection/read-delivery.ts'
export * from './webhooks/inspection/read-event.ts'
export * from './webhooks/inspection/statistics.ts'
export * from './webhooks/log-entry.ts'
export * from './webhooks/operations.ts'
export * from './webhooks/replay-deliveries.ts'
export * from './webhooks/review-events.ts'
export * from './webhooks/send-test.ts'
