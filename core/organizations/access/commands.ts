import { permissions, roles } from '../../kernel/callers/actor.ts'
import { planNames } from '../../kernel/callers/plans.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { line, name, oneOf } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import {
  emailTaken,
  hashed,
  memberByEmail,
  newMember,
  newMemberInput,
} from '../members/new-member.ts'
import type { AccessDeps } from './deps.ts'
import { changeable } from './organization.ts'
import { memberShape, memberView, tenantShape, tenantView } from './present.ts'
import { members, rosters, type Tenant, tenants } from './records.ts'

const { command } = operationsWith<Pick<AccessDeps, 'passwords'>>()

/** An organization and its first CustomerAdmin in one commit, so that it always has an admin. */
export const createTenant = command({
  name: 'tenants.create',
  doc: 'Create an organization and its first admin',
  by: 'system',
  right: 'createTenants',
  takes: {
    name: name(longest.name),
    admin: object(newMemberInput),
    plan: optional(oneOf(planNames)),
  },
  gives: object({ tenant: tenantShape, admin: memberShape }),
  refuses: ['invalid_request', 'busy'],
  prepare: async ({ tools, orRefuse }, { admin }) =>
    orRefuse(await hashed(tools.passwords, admin.password)),
  async run(unit, { name, admin: given, plan }, passwordHash) {
    const { now } = unit
    const [found] = await unit.read([memberByEmail(given.email)])
    if (one(members, found)) return unit.orRefuse(emailTaken('/admin'))
    const tenantId = unit.id('ten')
    const tenant: Tenant = {
      tenantId,
      name,
      status: 'active',
      ...(plan && { plan }),
      contactEmail: given.email,
      createdAt: now,
      updatedAt: now,
    }
    const admin = newMember(
      { ...given, role: 'CustomerAdmin', permissions: [] },
      { tenantId, memberId: unit.id('mem'), passwordHash, now },
    )
    unit.put(tenants, tenant)
    unit.put(members, admin)
    unit.put(rosters, { tenantId, admins: [admin.memberId] })
    unit.audit('tenant.created', tenantId, { adminId: admin.memberId }, tenantId)
    return { tenant: tenantView(tenant), admin: memberView(admin) }
  },
})

/** An active member with a password. */
export const createMember = command({
  name: 'members.create',
  doc: 'Create an active member of an organization',
  by: 'system',
  right: 'createMembers',
  takes: {
    tenantId: line(longest.id),
    ...newMemberInput,
    role: oneOf(roles),
    permissions: listOf(oneOf(permissions)),
  },
  gives: memberShape,
  refuses: ['not_found', 'invalid_request', 'busy'],
  prepare: async ({ tools, orRefuse }, { password }) =>
    orRefuse(await hashed(tools.passwords, password)),
  async run(unit, { tenantId, ...input }, passwordHash) {
    await unit.ask({ tenant: changeable(tenantId) })
    const [foundRoster, foundMember] = await unit.read([
      get(rosters, [tenantId]),
      memberByEmail(input.email),
    ])
    const roster = one(rosters, foundRoster)
    if (!roster) return unit.refuse('not_found', 'no such organization')
    if (one(members, foundMember)) return unit.orRefuse(emailTaken(''))
    const memberId = unit.id('mem')
    const member = newMember(input, { tenantId, memberId, passwordHash, now: unit.now })
    unit.put(members, member)
    if (member.role === 'CustomerAdmin')
      unit.put(rosters, { ...roster.row, admins: [...roster.row.admins, memberId] }, roster)
    const detail = { role: member.role, permissions: member.granted.join(', ') }
    unit.audit('member.created', memberId, detail, tenantId)
    return memberView(member)
  },
})
