export {
  type Actor,
  type ApplicationActor,
  actorName,
  type CustomerKeyActor,
  type CustomerKeyType,
  customerKeyTypes,
  type MemberActor,
  memberIdOf,
  type Permission,
  permissions,
  type Role,
  roles,
  type StaffActor,
  type SystemActor,
  tenantOf,
} from '../../kernel/callers/actor.ts'
export {
  authorize,
  authorizeApplication,
  authorizeCustomerKey,
  authorizeMember,
  authorizeStaff,
  permissionsOf,
  type Right,
  type Rule,
  rights,
} from '../../kernel/callers/authorize.ts'
export {
  checkFeature,
  type PlanFeature,
  type PlanName,
  planNames,
  planOf,
  plans,
  type TenantPlan,
} from '../../kernel/callers/plans.ts'
export {
  hashApplicationKey,
  isApplicationKey,
  newApplicationKey,
} from '../api-keys/application-key.ts'
export { isCompoundKey, isCustomerSecret, newCustomerKey } from '../api-keys/customer-key.ts'
export {
  type ApplicationKey,
  type ApplicationKeyView,
  applicationKeys,
  type CustomerKey,
  type CustomerKeyView,
  customerKeys,
  type NewApplicationKeyView,
  type NewCustomerKeyView,
  type StaffCustomerKeyView,
} from '../api-keys/key-records.ts'
export { countOrphans } from '../authenticators/orphans.ts'
export { faultOfRpId, relyingPartyOf } from '../authenticators/relying-party.ts'
export { loginFailureAudit } from '../logins/login-audit.ts'
export { invitationExpiry } from '../members/invitation-expiry.ts'
export type { NewMember } from '../members/new-member.ts'
export type { InvitationView, MemberRecordView } from '../members/present.ts'
export {
  type Invitation,
  type InvitationStatus,
  invitationStatuses,
  invitations,
} from '../members/records.ts'
export type { PasswordResetView } from '../passwords/issue-reset.ts'
export { passwordResets } from '../passwords/records.ts'
export { createResetSending } from '../passwords/request-reset.ts'
export { addressKey } from './address-key.ts'
export type { LoginCaller } from './caller.ts'
export { createAccess, createAccessTries } from './create-access.ts'
export type { AccessDeps } from './deps.ts'
export {
  issuedSession,
  type LoginView,
  type MemberSessionView,
  type MemberView,
  type TenantStatusView,
  type TenantView,
} from './present.ts'
export {
  countedLetters,
  failedTries,
  type Member,
  type MemberStatus,
  memberStatuses,
  members,
  type Roster,
  rosters,
  type Tenant,
  tenants,
} from './records.ts'
export { type MemberStanding, memberOf, memberStanding } from './standing.ts'
export type { AccessTools, AccessTries } from './tools.ts'
export type { AccessUseCases } from './use-cases.ts'
