export {
  type Actor,
  type ApplicationActor,
  actorName,
  type MemberActor,
  type Permission,
  permissions,
  type Role,
  roles,
} from './actor.ts'
export { addressKey } from './address-key.ts'
export { hashApplicationKey, isApplicationKey, newApplicationKey } from './application-key.ts'
export {
  authorize,
  authorizeApplication,
  authorizeMember,
  permissionsOf,
  type Right,
  type Rule,
  rights,
} from './authorize.ts'
export { createAccess, type MemberUseCases } from './create-access.ts'
export type { AccessDeps } from './deps.ts'
export { executeAs } from './execute-as.ts'
export {
  type ApplicationKey,
  applicationKeys,
  type Member,
  type MemberStatus,
  members,
  type Roster,
  rosters,
  type Tenant,
  tenants,
} from './records.ts'
export { type MemberStanding, memberOf, memberStanding } from './standing.ts'
export type { AccessUseCases } from './use-cases.ts'
export type {
  ApplicationKeyView,
  LoginCaller,
  LoginView,
  MemberView,
  NewApplicationKeyView,
  NewMember,
  SessionView,
  TenantView,
} from './view.ts'
