import { applicationKeyOperations } from './applications/application-keys.ts'
import { callbackOperations } from './applications/callback-operations.ts'
import { customerKeyOperations } from './applications/customer-keys.ts'
import { applicationOperations } from './applications/operations.ts'
import { readEvidenceKeySet, signingKeyOperations } from './evidence/keys/signing-keys.ts'
import { packageOperations } from './evidence/packages/operations.ts'
import type { Facades } from './kernel/facade.ts'
import { readWebhookKeys } from './keys/key-set.ts'
import { keyRequestOperations } from './keys/requests/operations.ts'
import { resumeTenant, suspendTenant } from './organizations/access/suspension.ts'
import { auditLogOperations } from './organizations/audit-log.ts'
import { readEntitlements } from './organizations/entitlements.ts'
import {
  deactivateMember,
  reactivateMember,
  setRole,
} from './organizations/members/change-member.ts'
import { invite, resendInvitation, withdrawInvitation } from './organizations/members/invite.ts'
import { listInvitations, listMembers } from './organizations/members/list-members.ts'
import { profileOperations } from './organizations/profile.ts'
import { setPlan } from './organizations/set-plan.ts'
import { alertRuleOperations } from './policies/alerts/operations.ts'
import { ingestRuleOperations } from './policies/ingest-rules.ts'
import { policyRuleOperations } from './policies/policy-rules.ts'
import { redactionPolicyOperations } from './policies/redaction-policies.ts'
import { scoreOperations } from './policies/scores/read-scores.ts'
import { annotationOperations } from './policies/sessions/annotations.ts'
import { flagOperations } from './policies/sessions/flags.ts'
import { sessionReviewOperations } from './policies/sessions/reviews.ts'
import { holdOperations } from './removal/erasure/holds.ts'
import { erasureOperations, subjectOperations } from './removal/erasure/requests.ts'
import { lifecycleOperations } from './removal/lifecycle/application-operations.ts'
import { poisonOperations } from './removal/lifecycle/poison.ts'
import { cancelTenantDeletion, requestTenantDeletion } from './removal/lifecycle/tenant-deletion.ts'
import { anchorOperations, ingestOperations, sessionOperations } from './sessions/operations.ts'
import { channelOperations } from './webhooks/channels/operations.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { reviewEventOperations } from './webhooks/review-events.ts'

/** The operations of the service, by the groups of its facade: a group is one line here. */
export const groups = {
  alertRules: alertRuleOperations,
  anchors: anchorOperations,
  annotations: annotationOperations,
  applicationKeys: applicationKeyOperations,
  applications: [...applicationOperations, ...callbackOperations, ...lifecycleOperations],
  auditLog: auditLogOperations,
  customerKeys: customerKeyOperations,
  entitlements: [readEntitlements],
  erasureRequests: erasureOperations,
  evidenceKeys: [readEvidenceKeySet],
  evidencePackages: packageOperations,
  flags: flagOperations,
  ingest: ingestOperations,
  ingestRules: ingestRuleOperations,
  invitations: [listInvitations, invite, resendInvitation, withdrawInvitation],
  keyRequests: keyRequestOperations,
  legalHolds: holdOperations,
  members: [listMembers, setRole, deactivateMember, reactivateMember],
  notificationChannels: channelOperations,
  policyRules: policyRuleOperations,
  profile: profileOperations,
  purgePoison: poisonOperations,
  redactionPolicies: redactionPolicyOperations,
  reviewEvents: reviewEventOperations,
  scores: scoreOperations,
  sessionReviews: sessionReviewOperations,
  sessions: sessionOperations,
  signingKeys: signingKeyOperations,
  subjects: subjectOperations,
  tenants: [suspendTenant, resumeTenant, setPlan, requestTenantDeletion, cancelTenantDeletion],
  webhookKeys: [readWebhookKeys],
  webhooks: webhookOperations,
} as const

/** The methods of all groups. */
export interface OperationGroups extends Facades<typeof groups> {}
