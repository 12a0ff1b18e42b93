import { ok, type Result, refuse } from '../ledger/refusal.ts'
import {
  type Actor,
  type ApplicationActor,
  type MemberActor,
  type Permission,
  permissions,
  type Role,
} from './actor.ts'

/** Who among the members may: anyone, a role, a holder of a permission, or nobody. */
export type Members = 'any' | Role | Permission | 'none'

export interface Rule {
  readonly members: Members
  readonly applications: boolean
}

export type Right =
  | 'readApplications'
  | 'createApplications'
  | 'setOutcomeCallback'
  | 'manageApplicationKeys'
  | 'openCases'
  | 'readCases'
  | 'reviewCases'
  | 'cancelCases'
  | 'answerCases'
  | 'replayCallbacks'
  | 'readWebhooks'
  | 'manageWebhooks'
  | 'readReviewEvents'
  | 'replayDeliveries'

/**
 * Every right of the portal and the ingest host (decisions 2 and 3; contract, Authentication). What an
 * application may is limited further, by each room, to its own data.
 */
export const rights: Readonly<Record<Right, Rule>> = {
  readApplications: { members: 'any', applications: false },
  createApplications: { members: 'CustomerAdmin', applications: false },
  setOutcomeCallback: { members: 'CustomerAdmin', applications: false },
  manageApplicationKeys: { members: 'CustomerAdmin', applications: false },
  openCases: { members: 'none', applications: true },
  readCases: { members: 'Review Cases', applications: true },
  reviewCases: { members: 'Review Cases', applications: false },
  cancelCases: { members: 'CustomerAdmin', applications: true },
  answerCases: { members: 'none', applications: true },
  replayCallbacks: { members: 'Review Cases', applications: false },
  readWebhooks: { members: 'any', applications: false },
  manageWebhooks: { members: 'CustomerAdmin', applications: false },
  readReviewEvents: { members: 'Manage Integrations', applications: false },
  replayDeliveries: { members: 'Manage Integrations', applications: false },
}

const ofRole: Readonly<Record<Role, readonly Permission[]>> = {
  CustomerAdmin: permissions,
  CustomerAuditor: ['Export Evidence'],
}

/** What a member holds: what the role brings and what was granted beside it, in the order of the list. */
export function permissionsOf(role: Role, granted: readonly Permission[]): readonly Permission[] {
  return permissions.filter((one) => ofRole[role].includes(one) || granted.includes(one))
}

/** Lets the system, and whom the table names, pass. */
export function authorize<A extends Actor>(actor: A, right: Right): Result<A> {
  const rule = rights[right]
  switch (actor.kind) {
    case 'system':
      return ok(actor)
    case 'application':
      return rule.applications ? ok(actor) : forbidden('needs a member of the organization')
    case 'member':
      return allows(actor, rule.members) ? ok(actor) : forbidden(needed(rule.members))
  }
}

/** For what only a human does; the system is no member. */
export function authorizeMember(actor: Actor, right: Right): Result<MemberActor> {
  if (actor.kind !== 'member') return forbidden('needs a member of the organization')
  return authorize(actor, right)
}

/** For what only an application's key does. */
export function authorizeApplication(actor: Actor, right: Right): Result<ApplicationActor> {
  if (actor.kind !== 'application') return forbidden(needed('none'))
  return authorize(actor, right)
}

function allows(member: MemberActor, needs: Members): boolean {
  if (needs === 'none') return false
  return needs === 'any' || member.role === needs || holds(member, needs)
}

function holds(member: MemberActor, needs: string): boolean {
  return member.permissions.some((one) => one === needs)
}

function needed(needs: Members): string {
  if (needs === 'none') return 'needs an application key'
  return needs === 'CustomerAdmin' || needs === 'CustomerAuditor'
    ? `needs the role ${needs}`
    : `needs the permission ${needs}`
}

function forbidden(why: string): ReturnType<typeof refuse> {
  return refuse('forbidden', `this ${why}`)
}
