import { ok, type Result, refuse } from '../ledger/refusal.ts'
import {
  type Actor,
  type ApplicationActor,
  type CustomerKeyActor,
  type CustomerKeyType,
  type MemberActor,
  type Permission,
  permissions,
  type Role,
  roles,
  type StaffActor,
  type SystemActor,
} from './actor.ts'

/** Which members have a right: any, a role, holders of a permission or of one of several, or none. */
export type Members = 'any' | Role | Permission | readonly Permission[] | 'none'

/** Who has a right. */
export interface Rule {
  readonly members: Members
  readonly applications: boolean
  /** Types of customer keys; absent: none. */
  readonly customerKeys?: readonly CustomerKeyType[]
  /** Staff of the deployment has it. */
  readonly staff?: true
  /** Changes nothing, so that guests of the sandbox may too. */
  readonly reads?: true
}

/** What a use case asks for; `rights` says who has it. */
export type Right =
  | 'createTenants'
  | 'createMembers'
  | 'suspendTenants'
  | 'resetPasswords'
  | 'readMembers'
  | 'manageMembers'
  | 'readAuthenticators'
  | 'readOrganization'
  | 'updateProfile'
  | 'setPlans'
  | 'readAuditLog'
  | 'readApplications'
  | 'createApplications'
  | 'updateApplications'
  | 'deleteApplications'
  | 'setOutcomeCallback'
  | 'readApplicationKeys'
  | 'manageApplicationKeys'
  | 'openCases'
  | 'readCases'
  | 'readReviewStatistics'
  | 'readReviewerKeys'
  | 'reviewCases'
  | 'cancelCases'
  | 'answerCases'
  | 'replayCallbacks'
  | 'readWebhooks'
  | 'manageWebhooks'
  | 'readReviewEvents'
  | 'replayDeliveries'
  | 'issueCustomerKeys'
  | 'managePurges'
  | 'deleteTenants'
  | 'readCustomerKeys'
  | 'manageCustomerKeys'
  | 'executeKeyRequests'
  | 'readSigningKeys'
  | 'rotateSigningKeys'
  | 'setCustomerKeyRates'
  | 'rotateTenantKeys'
  | 'sendSessions'
  | 'readIngest'
  | 'readSessions'
  | 'readPrivacy'
  | 'managePrivacy'
  | 'readPolicies'
  | 'managePolicies'
  | 'readAlertRules'
  | 'manageAlertRules'
  | 'readChannels'
  | 'manageChannels'
  | 'markSessions'
  | 'exportEvidence'
  | 'exportSubjects'

/**
 * Every right of the three hosts (interface, Operations). What an application may is limited further, by each room, to
 * its own data.
 */
export const rights: Readonly<Record<Right, Rule>> = {
  createTenants: { members: 'none', applications: false },
  createMembers: { members: 'none', applications: false },
  managePurges: { members: 'none', applications: false, staff: true },
  deleteTenants: { members: 'none', applications: false, staff: true },
  suspendTenants: { members: 'none', applications: false, staff: true },
  resetPasswords: { members: 'none', applications: false, staff: true },
  readMembers: { members: 'any', applications: false, reads: true },
  manageMembers: { members: 'CustomerAdmin', applications: false },
  readAuthenticators: { members: 'CustomerAdmin', applications: false, reads: true },
  readOrganization: { members: 'any', applications: false, reads: true },
  updateProfile: { members: 'CustomerAdmin', applications: false },
  setPlans: { members: 'none', applications: false, staff: true },
  readAuditLog: { members: 'any', applications: false, reads: true },
  readApplications: { members: 'any', applications: false, reads: true },
  createApplications: { members: 'CustomerAdmin', applications: false },
  updateApplications: { members: 'CustomerAdmin', applications: false },
  deleteApplications: { members: 'CustomerAdmin', applications: false },
  setOutcomeCallback: { members: 'CustomerAdmin', applications: false },
  readApplicationKeys: { members: 'CustomerAdmin', applications: false, reads: true },
  manageApplicationKeys: { members: 'CustomerAdmin', applications: false },
  openCases: { members: 'none', applications: true },
  readCases: { members: 'Review Cases', applications: true, reads: true },
  readReviewStatistics: { members: 'CustomerAdmin', applications: false, reads: true },
  readReviewerKeys: { members: 'none', applications: true, reads: true },
  reviewCases: { members: 'Review Cases', applications: false },
  cancelCases: { members: 'CustomerAdmin', applications: true },
  answerCases: { members: 'none', applications: true },
  replayCallbacks: { members: ['Review Cases', 'Manage Integrations'], applications: false },
  readWebhooks: { members: 'any', applications: false, reads: true },
  manageWebhooks: { members: 'CustomerAdmin', applications: false },
  readReviewEvents: { members: 'Manage Integrations', applications: false, reads: true },
  replayDeliveries: { members: 'Manage Integrations', applications: false },
  rotateTenantKeys: { members: 'none', applications: false },
  issueCustomerKeys: { members: 'none', applications: false },
  readCustomerKeys: { members: 'any', applications: false, reads: true },
  manageCustomerKeys: { members: 'CustomerAdmin', applications: false },
  readSigningKeys: { members: 'any', applications: false, reads: true },
  rotateSigningKeys: { members: 'CustomerAdmin', applications: false },
  executeKeyRequests: { members: 'none', applications: false, staff: true },
  setCustomerKeyRates: { members: 'none', applications: false, staff: true },
  sendSessions: {
    members: 'none',
    applications: false,
    customerKeys: ['primary ingest', 'secondary'],
  },
  readIngest: {
    members: 'none',
    applications: false,
    customerKeys: ['primary ingest', 'secondary', 'management'],
    reads: true,
  },
  readSessions: { members: 'any', applications: false, reads: true },
  readPrivacy: { members: 'any', applications: false, reads: true },
  managePrivacy: { members: 'CustomerAdmin', applications: false },
  readPolicies: { members: 'any', applications: false, reads: true },
  managePolicies: { members: 'CustomerAdmin', applications: false },
  readAlertRules: { members: 'any', applications: false, reads: true },
  manageAlertRules: { members: 'CustomerAdmin', applications: false },
  readChannels: { members: 'any', applications: false, reads: true },
  manageChannels: { members: 'CustomerAdmin', applications: false },
  markSessions: { members: 'Review Cases', applications: false },
  exportSubjects: { members: 'CustomerAdmin', applications: false, reads: true },
  exportEvidence: { members: 'Export Evidence', applications: false, reads: true },
}

const ofRole: Readonly<Record<Role, readonly Permission[]>> = {
  CustomerAdmin: permissions,
  CustomerAuditor: ['Export Evidence'],
}

/** The permissions of a role and those granted beside it, in the order of `permissions`. */
export function permissionsOf(role: Role, granted: readonly Permission[]): readonly Permission[] {
  return permissions.filter((one) => ofRole[role].includes(one) || granted.includes(one))
}

/** Allows the system and the actors that `rights` names. */
export function authorize<A extends Actor>(actor: A, right: Right): Result<A> {
  const rule = rights[right]
  if (!holds(actor, rule)) return forbidden(rule)
  if (actor.kind === 'member' && actor.guest && !rule.reads)
    return refuse('sandbox_read_only', 'the sandbox can be read, not changed')
  return ok(actor)
}

/** As `authorize`, for actors of these kinds alone; without a right each of them may. */
export function authorizeKinds(
  actor: Actor,
  kinds: readonly Actor['kind'][],
  right: Right | null,
): Result<Actor> {
  if (right === null)
    return kinds.includes(actor.kind)
      ? ok(actor)
      : refuse('forbidden', `expected a caller of another kind: ${kinds.join(' or ')}`)
  return kinds.includes(actor.kind) ? authorize(actor, right) : forbidden(rights[right])
}

/** As `authorize`, for members alone; the system is none. */
export function authorizeMember(actor: Actor, right: Right): Result<MemberActor> {
  return actor.kind === 'member' ? authorize(actor, right) : forbidden(rights[right])
}

/** As `authorize`, for application keys alone. */
export function authorizeApplication(actor: Actor, right: Right): Result<ApplicationActor> {
  return actor.kind === 'application' ? authorize(actor, right) : forbidden(rights[right])
}

/** As `authorize`, for staff and the system alone. */
export function authorizeStaff(actor: Actor, right: Right): Result<StaffActor | SystemActor> {
  return actor.kind === 'staff' || actor.kind === 'system'
    ? authorize(actor, right)
    : forbidden(rights[right])
}

/** As `authorize`, for customer keys alone. */
export function authorizeCustomerKey(actor: Actor, right: Right): Result<CustomerKeyActor> {
  return actor.kind === 'customerKey' ? authorize(actor, right) : forbidden(rights[right])
}

function holds(actor: Actor, rule: Rule): boolean {
  switch (actor.kind) {
    case 'system':
      return true
    case 'application':
      return rule.applications
    case 'customerKey':
      return rule.customerKeys?.includes(actor.type) ?? false
    case 'staff':
      return rule.staff ?? false
    case 'member':
      return allows(actor, rule.members)
  }
}

function allows(member: MemberActor, needs: Members): boolean {
  if (needs === 'any' || needs === 'none') return needs === 'any'
  if (typeof needs !== 'string') return needs.some((one) => member.permissions.includes(one))
  return member.role === needs || member.permissions.some((held) => held === needs)
}

function forbidden({
  members,
  applications,
  customerKeys = [],
  staff,
}: Rule): ReturnType<typeof refuse> {
  const who = [
    ...(members === 'none' ? [] : [described(members)]),
    ...(applications ? ['an application key'] : []),
    ...(customerKeys.length > 0 ? [`a customer key (${customerKeys.join(', ')})`] : []),
    ...(staff ? ['staff of the service'] : []),
  ]
  return refuse('forbidden', `needs ${who.join(' or ') || 'the system itself'}`)
}

function described(members: Exclude<Members, 'none'>): string {
  if (members === 'any') return 'a member of the organization'
  if (typeof members !== 'string') return `the permission ${members.join(' or ')}`
  return roles.some((role) => role === members)
    ? `the role ${members}`
    : `the permission ${members}`
}
