import { deactivateMember, reactivateMember, setRole } from './access/membership/change-member.ts'
import { invite, resendInvitation, withdrawInvitation } from './access/membership/invite.ts'
import { listInvitations, listMembers } from './access/membership/list-members.ts'
import { resumeTenant, suspendTenant } from './access/suspension.ts'
import { applicationKeyOperations } from './applications/application-keys.ts'
import { callbackOperations } from './applications/callback-operations.ts'
import { customerKeyOperations } from './applications/customer-keys.ts'
import { applicationOperations } from './applications/operations.ts'
import { channelOperations } from './channels/operations.ts'
import { holdOperations } from './erasure/holds.ts'
import { erasureOperations, subjectOperations } from './erasure/requests.ts'
import type { Facades } from './kernel/facade.ts'
import { keyRequestOperations } from './key-requests/operations.ts'
import { lifecycleOperations } from './lifecycle/application-operations.ts'
import { auditLogOperations } from './organization/audit-log.ts'
import { readEntitlements } from './organization/entitlements.ts'
import { profileOperations } from './organization/profile.ts'
import { setPlan } from './organization/set-plan.ts'
import { alertRuleOperations } from './signals/alerts/operations.ts'
import { ingestRuleOperations } from './signals/ingest-rules.ts'
import { policyRuleOperations } from './signals/policy-rules.ts'
import { redactionPolicyOperations } from './signals/redaction-policies.ts'
import { scoreOperations } from './signals/scores/read-scores.ts'
import { annotationOperations } from './signals/sessions/annotations.ts'
import { flagOperations } from './signals/sessions/flags.ts'
import { sessionReviewOperations } from './signals/sessions/reviews.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { reviewEventOperations } from './webhooks/review-events.ts'

/** The operations of the service, by the groups of its facade: a group is one line here. */
export const groups = {
  alertRules: alertRuleOperations,
  annotations: annotationOperations,
  applicationKeys: applicationKeyOperations,
  applications: [...applicationOperations, ...callbackOperations, ...lifecycleOperations],
  auditLog: auditLogOperations,
  customerKeys: customerKeyOperations,
  entitlements: [readEntitlements],
  erasureRequests: erasureOperations,
  flags: flagOperations,
  ingestRules: ingestRuleOperations,
  invitations: [listInvitations, invite, resendInvitation, withdrawInvitation],
  keyRequests: keyRequestOperations,
  legalHolds: holdOperations,
  members: [listMembers, setRole, deactivateMember, reactivateMember],
  notificationChannels: channelOperations,
  policyRules: policyRuleOperations,
  profile: profileOperations,
  redactionPolicies: redactionPolicyOperations,
  reviewEvents: reviewEventOperations,
  scores: scoreOperations,
  sessionReviews: sessionReviewOperations,
  subjects: subjectOperations,
  tenants: [suspendTenant, resumeTenant, setPlan],
  webhooks: webhookOperations,
} as const

/** The methods of all groups. */
export interface OperationGroups extends Facades<typeof groups> {}
